"""Made-up credentials, put together from parts so that no scanner trips over the sources of the tests."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass

FILL = "EXAMPLE0" * 20
LOWER = FILL.lower()
HEX = "0123456789abcdef" * 8


@dataclass(frozen=True, slots=True)
class Sample:
    """A secret in the text round it."""

    kind: str
    secret: str
    before: str = ""
    after: str = ""

    @property
    def text(self) -> str:
        return self.before + self.secret + self.after

    @property
    def shown(self) -> str:
        return f"{self.before}[masked {self.kind}]{self.after}"


JWT = f"eyJ{FILL[:20]}.eyJ{FILL[:24]}.{FILL[:30]}"
JWE = f"eyJ{FILL[:20]}..{FILL[:16]}.{FILL[:24]}.{FILL[:22]}"
GITLAB = ("pat", "ptt", "dt", "rt", "cbt", "oas", "soat", "imt", "agent", "ft")
SAMPLES = (
    *(Sample("github-token", f"gh{one}_{FILL[:36]}", "GITHUB_TOKEN=", " next") for one in "pousr"),
    Sample("github-token", f"github_pat_{FILL[:22]}_{FILL[:59]}", '"', '"'),
    *(Sample("gitlab-token", f"gl{one}-{FILL[:20]}", "token ") for one in GITLAB),
    *(Sample("aws-key-id", f"A{one}A{FILL[:16]}", "aws_access_key_id = ", "\n") for one in ("KI", "SI", "BI", "CC")),
    Sample("aws-secret-key", FILL[:39] + "/", "aws_secret_access_key = "),
    Sample("aws-secret-key", FILL[:40], '{"SecretAccessKey": "', '", "n": 1}'),
    Sample("aws-session-token", FILL[:120] + "==", "export AWS_SESSION_TOKEN="),
    Sample("slack-token", f"xox{'b'}-1111111111-{FILL[:24]}", "notify via "),
    Sample("slack-token", f"xapp{'-'}1-{FILL[:24]}", "notify via "),
    Sample("slack-webhook", f"T{FILL[:8]}/B{FILL[:8]}/{FILL[:24]}", "POST https://hooks.slack" + ".com/services/"),
    Sample("api-key", f"sk{'-'}{FILL[:40]}", '{"api_key": "', '", "model": "small"}'),
    *(Sample("api-key", f"sk{'-'}{one}-{FILL[:40]}", "key=") for one in ("proj", "svcacct", "ant-api03", "or-v1")),
    Sample("api-key", LOWER[:32], "X-Api-Key: "),
    Sample("api-key", LOWER[:20], "PRIVATE-TOKEN: "),
    Sample("google-api-key", f"AI{'za'}{FILL[:35]}", "?key=", "&n=1"),
    Sample("google-oauth", f"ya{'29'}.{FILL[:40]}", "token: "),
    Sample("google-oauth", f"GOC{'SPX'}-{FILL[:28]}", "client_secret="),
    *(Sample("stripe-key", f"{one}_{FILL[:24]}", "key ") for one in ("sk_" + "live", "rk_" + "live", "sk_" + "test")),
    Sample("webhook-secret", f"wh{'sec'}_{FILL[:32]}", "secret: "),
    Sample("npm-token", f"npm{'_'}{FILL[:36]}", "NPM_TOKEN="),
    Sample("npm-token", f"{HEX[:8]}-{HEX[:20]}", "//registry.example.test/:_authToken="),
    Sample("pypi-token", f"pypi-{'AgE'}{FILL[:60]}", "password = "),
    Sample("huggingface-token", f"hf{'_'}{FILL[:34]}", "HF_TOKEN="),
    Sample("sendgrid-key", f"S{'G'}.{FILL[:22]}.{FILL[:43]}", "key "),
    Sample("digitalocean-token", f"dop_{'v1'}_{HEX[:64]}", "token "),
    Sample("shopify-token", f"shp{'at'}_{HEX[:32]}", "token "),
    Sample("grafana-token", f"gl{'sa'}_{FILL[:32]}_{HEX[:8]}", "token "),
    Sample("vault-token", f"hv{'s'}.{FILL[:24]}", "VAULT_TOKEN="),
    Sample("docker-token", f"dckr{'_'}pat_{FILL[:27]}", "login -p "),
    Sample("databricks-token", f"da{'pi'}{HEX[:32]}", "token "),
    Sample("linear-key", f"lin_{'api'}_{FILL[:40]}", "token "),
    Sample("telegram-token", f"1234567890:{'AA'}{FILL[:33]}", "https://api.telegram.example/bot", "/getMe"),
    Sample("azure-key", FILL[:86] + "==", "AccountName=depot;Account" + "Key=", ";EndpointSuffix=core"),
    Sample("age-key", f"AGE-SECRET{'-KEY'}-1{FILL[:58]}", "# key\n", "\n"),
    Sample("jwt", JWT, "cookie sid=", "; path=/"),
    Sample("jwt", JWE, "cookie sid=", "; path=/"),
    Sample("authorization", LOWER[:24], 'curl -H "Authorization: Bearer ', '" https://api.example.test'),
    Sample("authorization", "ZGVwb3Q6RVhBTVBMRTA=", "> authorization: Basic ", "\r\n"),
    Sample("url-password", "p4ss" + "w0rd-EXAMPLE", "connect postgres://depot:", "@db.example.test/orders"),
    Sample("url-password", "p4ss" + "w0rd-EXAMPLE", "redis://:", "@cache:6379"),
)
"""Each with its secret's own characters apart: all else stays as it is."""

KEY_LINES = tuple(FILL[n : n + 64] for n in range(5))
_EDGE = "-----{} RSA PRIVATE" + " KEY-----"
PRIVATE_KEY = "\n".join((_EDGE.format("BEGIN"), *KEY_LINES, _EDGE.format("END"))) + "\n"

WORD = "Pa55" + "w0rdXy"
"""As people choose them."""
KEY = "0123456789" + "abcdefABCDEF"
BASE64 = FILL[:86] + "=="
AWS = FILL[:40]
LOGIN = base64.b64encode(f"depot:{WORD}".encode()).decode()
ASSIGNED = (
    f'{{"password":"{WORD}"}}',
    f'{{"password": "{WORD}!$&,;(x)"}}',
    f"{{'db_password': '{WORD}'}}",
    f'{{"said":"{{\\"password\\": \\"{WORD}\\"}}"}}',
    '{"password":"hunter2hunter2","n":1}',
    f"DB_PASSWORD={WORD}",
    f"export DB_PASSWORD='{WORD}&more'",
    "POSTGRES_PASSWORD=correcthorsebattery",
    f"2026-01-01 env: A=1 SMTP_PASS={WORD} B=2",
    f"MYSQL_PWD={WORD}",
    f"run --password={WORD} --verbose",
    f"run --db-password {WORD}",
    "run --password=admin123 --verbose",
    f"grant_type=x&client_secret={KEY}&n=1",
    f"GET /x?access_token={KEY}&n=1",
    f"GET /x?n=1&token={KEY} HTTP/1.1",
    f"password: {WORD}",
    "password: admin123",
    f"  spring.datasource.password: {WORD}  ",
    f"client_secret: {KEY}",
    f"clientSecret = '{KEY}'",
    f'refresh_token: "{KEY}"',
    f"api_key={KEY}",
    f"const apiKey = `x`, secretKey = '{KEY}';",
    f"Server=db;User Id=sa;Password={WORD};Encrypt=yes",
    f"<password>{WORD}</password>",
    f'<property name="password" value="{WORD}"/>',
    f"private_key: {KEY}",
    f"API_TOKEN={KEY}",
    f"CLIENT_SECRET={KEY}",
    f"export API_KEY='{KEY}'",
    f"- name: DB_PASSWORD\n  value: {WORD}",
    f'{{"name": "DB_PASSWORD",\n "value": "{WORD}"}}',
    f"client_secret: >-\n    {KEY}\n",
    "client_secret=123e4567-e89b-42d3-a456-426614174000",
    f"curl -u depot:{WORD} https://x.test",
    f"curl -sS -X POST 'https://x.test' --user 'depot:{WORD}'",
    f"curl \\\n  -fsSLu depot:{WORD} \\\n  https://x.test",
    f'{{"auths":{{"registry.test":{{"auth":"{LOGIN}"}}}}}}',
    f"//registry.test/:_auth={LOGIN}",
)
"""Credentials by name, in the forms of tools."""
HEADERS = (
    f'{{"Authorization":["Bearer {KEY}"]}}',
    f'{{"X-Api-Key":["{KEY}"]}}',
    f"map[Accept:[*/*] Authorization:[Bearer {KEY}]]",
    f'{{"name":"Authorization","value":"Bearer {KEY}"}}',
    f'{{\n  "name": "Authorization",\n  "value": "Bearer {KEY}"\n}}',
    f"('Authorization', 'Bearer {KEY}')",
    f"headers['Authorization'] = 'Bearer {KEY}'",
    f"Authorization: {KEY}",
    f'{{"authorization":"{KEY}"}}',
    f"curl -H 'authorization: {KEY}' https://x.test",
    f'{{"\\u0041uthorization":"Bearer {KEY}"}}',
    f"X-Api-Key: >-\n  {KEY}\n",
    f"('X-Api-Key', '{KEY}')",
    f"- name: AWS_SECRET_ACCESS_KEY\n  value: {AWS}",
    f'{{"name":"AWS_SECRET_ACCESS_KEY","value":"{AWS}"}}',
    f"aws_secret_access_key: |\n  {AWS}\n",
    f'{{"AccountKey":"{BASE64}"}}',
    f'{{"accountKey":"{BASE64}"}}',
)
URLS = (
    "postgres://admin:{}@db:5432/x",
    "see https://admin:{}@host.test/x?y=1 now",
    '{{"url":"mysql:\\/\\/admin:{}@db\\/x"}}',
)

RUN_SECRETS: Mapping[str, str] = {
    "github": "gh" + "p_" + FILL[:36],
    "cloud_id": "AK" + "IA" + "EXAMPLE0EXAMPLE0",
    "chat": "xo" + "xb-" + "1111111111-" + FILL[:24],
    "model": "s" + "k-" + FILL[:40],
    "jwt": JWT,
    "url_password": "p4ss" + "w0rd-EXAMPLE",
}
RUN_LOG = f"""step 1 env dump
GITHUB_TOKEN={RUN_SECRETS["github"]}
aws_access_key_id = {RUN_SECRETS["cloud_id"]}
curl -H "Authorization: Bearer {RUN_SECRETS["jwt"]}" https://api.example.test/orders
notify via {RUN_SECRETS["chat"]}
{{"api_key": "{RUN_SECRETS["model"]}", "model": "small"}}
connect postgres://depot:{RUN_SECRETS["url_password"]}@db.example.test/orders
step 2 FAILED test_price: 12 != 13
""".encode()
"""A tool output as the case `s01` has it."""
