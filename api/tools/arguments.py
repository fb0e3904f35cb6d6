"""Arguments of a tool call, as a model wrote them: checked one by one, with an error that names the argument."""

from collections.abc import Mapping, Sequence

from evidence_store.errors import InvalidInput, JsonValue


class Arguments:
    """Reads members by name and type. `finish` refuses what nobody asked for."""

    def __init__(self, tool: str, values: Mapping[str, JsonValue]) -> None:
        self._tool = tool
        self._values = values
        self._known: list[str] = []

    def text(self, name: str) -> str:
        found = self.find_text(name)
        if found is None:
            raise self._wrong(name, "is missing")
        return found

    def find_text(self, name: str) -> str | None:
        found = self._take(name)
        if found is not None and not isinstance(found, str):
            raise self._wrong(name, "must be a text")
        return found

    def find_int(self, name: str, low: int, high: int) -> int | None:
        found = self._take(name)
        if found is None:
            return None
        if isinstance(found, bool) or not isinstance(found, int) or not low <= found <= high:
            raise self._wrong(name, f"must be a whole number from {low} to {high}")
        return found

    def integer(self, name: str, low: int, high: int) -> int:
        found = self.find_int(name, low, high)
        if found is None:
            raise self._wrong(name, "is missing")
        return found

    def flag(self, name: str) -> bool:
        found = self._take(name)
        if found is None:
            return False
        if not isinstance(found, bool):
            raise self._wrong(name, "must be true or false")
        return found

    def one_of(self, name: str, values: Sequence[str]) -> str | None:
        found = self.find_text(name)
        if found is not None and found not in values:
            raise InvalidInput(f"{self._tool}: {name} must be one of {', '.join(values)}", {"known": list(values)}, code="bad_argument")
        return found

    def required_one_of(self, name: str, values: Sequence[str]) -> str:
        found = self.one_of(name, values)
        if found is None:
            raise self._wrong(name, "is missing")
        return found

    def texts(self, name: str) -> tuple[str, ...]:
        found = self._take(name)
        if found is None:
            return ()
        if isinstance(found, str) or not isinstance(found, Sequence) or not all(isinstance(one, str) for one in found):
            raise self._wrong(name, "must be a list of texts")
        return tuple(str(one) for one in found)

    def objects(self, name: str) -> tuple["Arguments", ...]:
        found = self._take(name)
        if isinstance(found, str) or not isinstance(found, Sequence) or not all(isinstance(one, Mapping) for one in found):
            raise self._wrong(name, "must be a list of objects")
        return tuple(Arguments(f"{self._tool}: {name}", one) for one in found if isinstance(one, Mapping))

    def object(self, name: str) -> "Arguments":
        found = self._take(name)
        if not isinstance(found, Mapping):
            raise self._wrong(name, "must be an object")
        return Arguments(f"{self._tool}: {name}", found)

    def finish(self) -> None:
        """Raises InvalidInput for members that are none of the arguments."""
        unknown = sorted(set(self._values) - set(self._known))
        if unknown:
            raise InvalidInput(
                f"{self._tool} takes no {', '.join(unknown)[:200]}", {"known": list(dict.fromkeys(self._known))}, code="bad_argument"
            )

    def _take(self, name: str) -> JsonValue:
        self._known.append(name)
        return self._values.get(name)

    def _wrong(self, name: str, why: str) -> InvalidInput:
        return InvalidInput(f"{self._tool}: {name} {why}", {"argument": name}, code="bad_argument")
