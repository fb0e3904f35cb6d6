"""Where HTTP is served: on this machine, unless something else is asked for in words."""

import pytest

from api.errors import WrongUse
from api.mcp.serving import HttpPlace, parse_http_place, security_of


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("8421", HttpPlace("127.0.0.1", 8421)),
        (":0", HttpPlace("127.0.0.1", 0)),
        ("localhost:8421", HttpPlace("localhost", 8421)),
        ("127.0.0.2:1", HttpPlace("127.0.0.2", 1)),
        ("[::1]:8421", HttpPlace("::1", 8421)),
    ],
)
def test_a_place_on_this_machine(text: str, place: HttpPlace) -> None:
    assert parse_http_place(text, unprotected=False) == place
    assert place.is_loopback


@pytest.mark.parametrize(
    ("text", "name"), [("127.0.0.2:1", "127.0.0.2"), ("[::1]:1", "[::1]"), ("8421", "127.0.0.1"), ("8421", "localhost")]
)
def test_on_this_machine_a_server_answers_to_its_own_name_and_to_no_other(text: str, name: str) -> None:
    made = security_of(parse_http_place(text, unprotected=False))
    assert made.enable_dns_rebinding_protection
    assert {name, f"{name}:*"} <= set(made.allowed_hosts)
    assert {f"http://{name}", f"http://{name}:*"} <= set(made.allowed_origins)
    assert not security_of(HttpPlace("192.0.2.1", 1)).enable_dns_rebinding_protection


@pytest.mark.parametrize("text", ["0.0.0.0:8421", "192.0.2.1:8421", "host.example:8421", "[::]:8421"])
def test_another_place_has_to_be_meant(text: str) -> None:
    with pytest.raises(WrongUse, match="--unprotected"):
        parse_http_place(text, unprotected=False)
    assert not parse_http_place(text, unprotected=True).is_loopback


@pytest.mark.parametrize("text", ["", "host", "host:", "host:x", "host:123456"])
def test_what_is_no_place_is_refused(text: str) -> None:
    with pytest.raises(WrongUse, match="HOST:PORT"):
        parse_http_place(text, unprotected=True)
