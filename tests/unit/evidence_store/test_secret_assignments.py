"""Credentials that a name or a header tells, in the forms that tools print; and what only stands where one could."""

import pytest

from evidence_store.secrets import mask_text
from tests.credentials import ASSIGNED, AWS, BASE64, HEADERS, KEY, LOGIN, URLS, WORD

SCHEMA = '{"properties":{"password":{"type":"string"},"secret":{"$ref":"#/x1234567"}},"required":["password","api_key2"]}'
HARMLESS = (
    SCHEMA,
    '{"password": "string", "client_secret": "string", "access_token": "The token of the user"}',
    '{"password": "********", "secret": "<secret>", "api_key": "${API_KEY_2024}", "pwd": null, "token": "YOUR_TOKEN_1234"}',
    "password: ********\npassword: ${PASSWORD}\npassword: <token>\npassword: null\npassword: {{ db_password_12 }}\npassword: !vault x",
    "DB_PASSWORD=\nDB_PASSWORD=$PASSWORD\nDB_PASSWORD=${X1:-y}\nDB_PASSWORD=changeme\nDB_PASSWORD=[redacted]\nDB_PASSWORD=$(cat /x/y1)",
    "PWD=/home/runner/work/app1\nOLDPWD=/srv/app2/x\nPOSTGRES_PASSWORD_FILE=/run/secrets/db1",
    "password_policy: strict9chars\ntoken_type: bearer01\nmax_tokens: 40960000\nsecretName: db-creds-12\npassword_min_length: 12345678",
    "secret: tls-cert-v2\nsecret: projects/123/secrets/db1\nsecretKeyRef:\n  name: db-creds-1\n  key: password",
    "next_page_token: abc123def456ghi789\npageToken=abc123def456ghi789",
    "the password: it is set; enter the password (8 characters), or a secret=yes",
    "unexpected token: Identifier123 at 12:34567890\ntoken: Keyword2024",
    "password = user.password2\nsecret = hmac_sha256_secret\nf(password=default_password1, secret=base64_secret)",
    'password = os.environ["DB_PASSWORD_2"]\npassword = getpass.getpass()\npassword: Optional[str] = None\nif password == expected1:',
    "password: str = Field(min_length=8)\nconst password = req.body.password1;\nlet secret: Option<String>;",
    'type: apiKey\napiKey: []\n"apiKey": {"type": "apiKey", "name": "X-API-Key", "in": "header"}',
    "password: sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
    "password_changed=2026-01-01 password: 2026-01-01T12:00:00Z password: 20260101",
    '{"authorization": "iauth_1CmMk2IyNTgGDVfzFKlCm0gU", "auth": "serviceAccount", "auth": "authenticated"}',
    "apiVersion: rbac.authorization.k8s.io/v1\nAuthorization: AWS4-HMAC-SHA256 Credential=x, SignedHeaders=host",
    "Authorization: Bearer <token>\nAuthorization: ${TOKEN_12345678901}\nAuthorization: application/json-v1",
    "fields = ['password', 'address12', 'secret', 'username1']",
    "docker run -u 1000:1000 x; sort -u a:b; curl -u $U:$PASS x; curl -u user:password x; curl https://x.test:8080/a:b",
    "http://host:80/a@b http://host:8080#x@y https://host.test:443/@user1/p docker://alpine:3.18@sha256:0123 http://h:80/a:b1c@d",
    "def sign(private_key: ed25519.Ed25519PrivateKey, n: int)\nx = openssl.MLKEM768PrivateKey\na=ice-pwd:Ab12Cd34Ef56",
    "//registry.test/:_auth=${NPM_AUTH} auth: basic1 auth=none",
    "--password-file /run/x1 --password-stdin --token-type bearer --secret id=npmrc,src=x",
    "password=(not set1234) password=\"\" password='' password=%(password1)s password=%s",
    '{"password":"vault:secret/data/db#password1","secret":"arn:aws:secretsmanager:eu-1:123:secret:x","key":"file:///x1"}',
    "3f786850e387550fdab836ed7e6dc881de23001b 123e4567-e89b-42d3-a456-426614174000",
)


@pytest.mark.parametrize("text", [*ASSIGNED, *HEADERS])
def test_the_value_goes_and_its_name_stays(text: str) -> None:
    shown = mask_text(text)
    assert [one for one in (WORD, KEY, AWS, BASE64, LOGIN, "hunter2", "correct", "admin123", "e89b") if one in shown] == []
    assert shown.count("[masked ") == 1
    assert shown.count("\n") == text.count("\n")
    assert mask_text(shown) == shown


@pytest.mark.parametrize("text", ["{}", "x\n{}\ny", 'log "{}"', "a [{}] b"])
def test_a_name_and_its_value_are_found_in_a_line(text: str) -> None:
    assert WORD not in mask_text(text.format(f"password={WORD}"))


@pytest.mark.parametrize("text", HARMLESS)
def test_what_stands_in_place_of_a_secret_stays(text: str) -> None:
    assert mask_text(text) == text


@pytest.mark.parametrize("url", URLS)
@pytest.mark.parametrize("password", ["Pa55w0rdXy", "Pa55@w0rdXy", "Pa55#w0rdXy", "Pa55/w0rdXy", "p4:ss@w@rd", "55Pa?w0@rd/x#y"])
def test_the_password_of_a_url_goes_up_to_its_host(url: str, password: str) -> None:
    assert mask_text(url.format(password)) == url.format("[masked url-password]")
