"""The parts of a form: as which media types each property is written, as `encoding` says; and which media type stands for another."""

from api.compat_report.comparison import Comparison, lacking, new_cite, old_cite, require_object
from api.compat_report.model import Direction
from api.compat_report.numbers import is_same
from api.compat_report.phrases import Phrase
from api.compat_report.view import Node

_FIELDS = ("encoding", "prefixEncoding", "itemEncoding")


def is_form(media_type: str) -> bool:
    """Whether `encoding` has a meaning beside a body of this media type."""
    return plain_name(media_type).startswith("multipart/") or plain_name(media_type) == "application/x-www-form-urlencoded"


def find_media_type(name: str, others: tuple[str, ...]) -> str | None:
    """The one of these that stands for a media type: itself, itself without parameters, or a range that holds it."""
    plain = plain_name(name)
    for wanted in (name, plain, f"{plain.partition('/')[0]}/*", "*/*"):
        found = next((other for other in others if wanted in (other, plain_name(other))), None)
        if found is not None:
            return found
    return None


def plain_name(name: str) -> str:
    return name.partition(";")[0].strip().lower()


def compare_encodings(c: Comparison, old: Node, new: Node, direction: Direction, owner: Phrase) -> None:
    """How the properties of two bodies are written. Where only one side says so, the other has the default of the property's type."""
    for field in _FIELDS[1:]:
        _ask_when_changed(c, old, new, field, direction, owner)
    before, after = old.get("encoding"), new.get("encoding")
    olds, news = ({} if node is None else require_object(node).members() for node in (before, after))
    for name in dict.fromkeys((*olds, *news)):
        with c.part():
            if name not in olds or name not in news:
                place = olds.get(name) or news[name]
                side = (old_cite(place), lacking(after or new)) if name in olds else (lacking(before or old), new_cite(place))
                text = f"encoding of property `{name}` of {owner.text} " + ("lifted" if name in olds else "set")
                reason = "whether it says what goes without saying for such a property is not judged"
                c.ask(f"{direction}-keyword-not-compared", text, reason, *side, *owner.cites)
            else:
                _compare_encoding(c, require_object(olds[name]), require_object(news[name]), direction, owner)


def _compare_encoding(c: Comparison, old: Node, new: Node, direction: Direction, owner: Phrase) -> None:
    named = Phrase(f"property `{old.token}` of {owner.text}", owner.cites)
    for field in dict.fromkeys((*old.names(), *new.names())):
        if field != "contentType" and not field.startswith("x-"):
            _ask_when_changed(c, old, new, field, direction, named)
    before, after = old.get("contentType"), new.get("contentType")
    if before is None or after is None:
        _ask_when_changed(c, old, new, "contentType", direction, named)
        return
    given, held = _types_of(before), _types_of(after)
    kept, rule = (held, "request-encoding-narrowed") if direction == "request" else (given, "response-encoding-widened")
    lost = [name for name in (given if direction == "request" else held) if find_media_type(name, kept) is None]
    if lost:
        verb = "is no longer taken" if direction == "request" else "may now come"
        said = f"`{lost[0]}`" if lost[0].isprintable() and "`" not in lost[0] else "one media type"
        c.add(rule, f"{named.text} {verb} as {said}", old_cite(before), new_cite(after), *named.cites)


def _types_of(node: Node) -> tuple[str, ...]:
    return tuple(name for part in (node.text() or "").split(",") if (name := part.strip()))


def _ask_when_changed(c: Comparison, old: Node, new: Node, field: str, direction: Direction, owner: Phrase) -> None:
    before, after = old.get(field), new.get(field)
    if before is None and after is None:
        return
    if before is not None and after is not None and is_same(before.value(), after.value()):
        return
    sides = (lacking(old) if before is None else old_cite(before), lacking(new) if after is None else new_cite(after))
    text = f"`{field}` in the encoding of {owner.text} changed"
    c.ask(f"{direction}-keyword-not-compared", text, f"the rules do not judge {field}", *sides, *owner.cites)
