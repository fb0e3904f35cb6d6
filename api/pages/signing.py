"""Signing in with a key, for readers of pages: a form, and a cookie that counts for pages alone.

Pages change nothing, so what a page elsewhere could have a browser send has no effect; programs give their key with each request.
"""

from typing import Annotated
from urllib.parse import parse_qs, urlsplit

from fastapi import APIRouter, Body
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from api.auth import COOKIE, KEY_FORM, Caller, Gatekeeper, cookie_of
from api.errors import Unauthenticated, WrongUse
from api.pages.templating import page
from api.routes.headers import SECURITY_HEADERS

PATH = "/sign-in"
_POLICY = "Content-Security-Policy"
_HEADERS = {
    _POLICY: SECURITY_HEADERS[_POLICY].replace("form-action 'none'", "form-action 'self'"),
    "Cache-Control": "no-store",
}
Form = Annotated[bytes, Body(media_type="application/x-www-form-urlencoded")]

router = APIRouter(include_in_schema=False)


@router.get("/sign-in", operation_id="showSignIn")
def show_sign_in(request: Request) -> Response:
    return sign_in_page(request, "/", _find_caller(request))


@router.post("/sign-in", operation_id="signIn")
def sign_in(request: Request, form: Form = b"") -> Response:
    """Keeps a key that works, and leads back to where the reader was."""
    _require_own_form(request)
    fields = parse_qs(form.decode("utf-8", "replace"), max_num_fields=10)
    secret, back = fields.get("key", [""])[0].strip(), own_path(fields.get("next", ["/"])[0])
    try:
        if KEY_FORM.fullmatch(secret) is None:
            raise Unauthenticated("no key has this form")
        _gatekeeper(request).find(f"Bearer {secret}")
    except Unauthenticated:
        return sign_in_page(request, back, None, refused=True)
    answer = RedirectResponse(back, 303, {"Cache-Control": "no-store"})
    answer.set_cookie(COOKIE, secret, path="/", secure=request.url.scheme == "https", httponly=True, samesite="strict")
    return answer


@router.post("/sign-out", operation_id="signOut")
def sign_out(request: Request) -> Response:
    _require_own_form(request)
    answer = RedirectResponse(PATH, 303, {"Cache-Control": "no-store"})
    answer.delete_cookie(COOKIE, path="/", secure=request.url.scheme == "https", httponly=True, samesite="strict")
    return answer


def sign_in_page(request: Request, back: str, caller: Caller | None, *, refused: bool = False) -> Response:
    """The form; 401 where a key is missing or does not work."""
    asked = request.url.path != PATH
    values = {"back": own_path(back), "principal": None if caller is None else caller.principal.name, "refused": refused, "asked": asked}
    answer = page(request, "sign_in.html", values, 401 if refused or asked else 200)
    answer.headers.update({**SECURITY_HEADERS, **_HEADERS})
    if answer.status_code == 401:
        answer.headers["WWW-Authenticate"] = "Bearer"
    return answer


def own_path(text: str) -> str:
    """A path of this server, with its query; the front page for an address of any other form."""
    parts = urlsplit(text) if text.isascii() and text.isprintable() and "\\" not in text else None
    if parts is None or parts.scheme or parts.netloc or not text.startswith("/") or text.startswith("//"):
        return "/"
    return text


def _find_caller(request: Request) -> Caller | None:
    try:
        return _gatekeeper(request).find(cookie_of(request))
    except Unauthenticated:
        return None


def _gatekeeper(request: Request) -> Gatekeeper:
    found = request.app.state.gatekeeper
    assert isinstance(found, Gatekeeper)
    return found


def _require_own_form(request: Request) -> None:
    """Raises WrongUse for a form of a page elsewhere, which could sign a reader in as somebody else."""
    site = request.headers.get("sec-fetch-site", "none")
    origin = request.headers.get("origin", "null")
    # With our Referrer-Policy the origin of our own form is null.
    elsewhere = origin != "null" and urlsplit(origin).netloc != request.headers.get("host", "")
    if site not in ("same-origin", "none") or ("sec-fetch-site" not in request.headers and elsewhere):
        raise WrongUse("this form was sent by a page elsewhere")
