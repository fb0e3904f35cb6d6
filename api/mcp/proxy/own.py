"""Our tools beside the upstream's: `read`, `search`, `get_evidence`. What they answer is bounded like any result, and kept in a run."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from api.mcp.calls import MAX_NAME_CHARS, RUN_META
from api.mcp.faults import fault_of
from api.mcp.proxy.messages import Json
from api.mcp.runs import Caller, Connection, ImplicitRuns, RunName, format_run
from api.tools.answers import error_answer
from api.tools.context import ToolAnswer
from api.tools.definitions import BY_NAME
from api.tools.outputs import OUTPUTS, structured
from api.wiring import Services
from api.wrap import Treatment, WrapContext, WrappedResult, naming
from api.wrap.reading import answer_own
from evidence_store.errors import EvidenceStoreError, InvalidInput, JsonValue
from evidence_store.model import Outcome, Packet
from evidence_store.records.runs import RunKey

OWN = ("get_evidence", "read", "search")
Wanted = Callable[[], bool]
"""Whether the client still waits for the answer."""
_TREE, _TEXT = BY_NAME["read_spec"], BY_NAME["read_log"]
_SHARED = _TREE.properties.keys() & _TEXT.properties.keys()
_DESCRIPTION = "Read a place of a stored result as evidence. Give one of pointer, operation, schema, or of lines, bytes, quote, case."


class OwnTools:
    """Answers calls of our tools, and keeps what was delivered. For worker threads."""

    def __init__(self, services: Services, context: WrapContext, setting: RunName | None) -> None:
        """Raises NotFound where the setting names a run that there is not."""
        self._services = services
        self._context = context
        self._runs = ImplicitRuns(services.store, setting)
        self._runs.check_setting()
        self._connection = Connection()
        self.agent = "agent"
        """The name that the client gives itself."""

    def call(self, own: str, arguments: Mapping[str, JsonValue], names: Mapping[str, str], is_wanted: Wanted) -> Json:
        """The result of `tools/call`."""
        try:
            key = self._run()
            step = self._runs.open(key, names[own], arguments)
            context = replace(self._context, tools=self._services.tools(step, f"mcp:{self.agent}"))
            result = answer(context, own, arguments)
            text = respelled(result.text, names)
            self._runs.close(step, result.outcome if is_wanted() else Outcome.CANCELLED, text, result.packets)
        except EvidenceStoreError as why:
            return tool_result(error_answer(why).text, is_error=True)
        if result.outcome is not Outcome.OK:
            return tool_result(text, is_error=True, run=key)
        return {**tool_result(text, run=key), "structuredContent": packets_json(text, result.packets)}

    def keep(self, tool: str, arguments: Mapping[str, JsonValue], result: WrappedResult, text: str, is_wanted: Wanted) -> RunKey:
        """Keeps what stands in place of a result of the upstream. Raises what the store raises."""
        key = self._run()
        step = self._runs.open(key, tool[:MAX_NAME_CHARS], arguments)
        self._runs.close(step, result.outcome if is_wanted() else Outcome.CANCELLED, text, result.packets)
        return key

    def _run(self) -> RunKey:
        return self._runs.enter(Caller(self._connection, "", self.agent), None).key


def answer(context: WrapContext, own: str, arguments: Mapping[str, JsonValue]) -> WrappedResult:
    """The answer of the tool of `api.tools` that stands behind one of ours, within the room of a result."""
    try:
        name = own if own != "read" else _reader(arguments)
        result = answer_own(context, name, arguments, context.rules.tokens_of(own))
    except EvidenceStoreError as why:
        return _refused(error_answer(why))
    except Exception as why:  # a fault of ours: told in words, and the call is closed
        return _refused(error_answer(fault_of(own, why)))
    if result.outcome is Outcome.OK or name == own:
        return result
    return replace(result, text=result.text.replace(f"{name}: ", f"{own}: "))


def _reader(arguments: Mapping[str, JsonValue]) -> str:
    """Which of the two tools reads such a place. Raises InvalidInput where it is neither's, or both's."""
    given = {name for name, value in arguments.items() if value is not None}
    tree, text = given & (_TREE.properties.keys() - _SHARED), given & (_TEXT.properties.keys() - _SHARED)
    unknown = sorted(given - _TREE.properties.keys() - _TEXT.properties.keys())
    if unknown:
        raise InvalidInput(f"read: there is no argument {unknown[0][:80]!r}", {"argument": unknown[0][:80]}, code="bad_argument")
    if bool(tree) == bool(text):
        said = "read: give one of pointer, operation, schema, or of lines, bytes, quote, case"
        raise InvalidInput(said, {"argument": "pointer"}, code="bad_argument")
    return _TREE.name if tree else _TEXT.name


def _refused(refusal: ToolAnswer) -> WrappedResult:
    return WrappedResult(refusal.text, refusal.text, Treatment.OWN, refusal.outcome)


def definition(own: str, name: str) -> Json:
    """As `tools/list` has it, under the name that it goes by."""
    if own == "read":
        arguments = {**_TREE.parameters, "properties": {**_TEXT.properties, **_TREE.properties}, "required": ["resource"]}
    else:
        arguments = BY_NAME[own].parameters
    return {
        "name": name,
        "title": name.replace("_", " ").capitalize(),
        "description": _DESCRIPTION if own == "read" else BY_NAME[own].description,
        "inputSchema": arguments,
        "outputSchema": OUTPUTS["read_log"],
        "annotations": {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False},
    }


def respelled(text: str, names: Mapping[str, str]) -> str:
    """The text with our tools under the names that they go by here; a summary cannot be asked for."""
    return naming.respelled(text, {_TREE.name: names["read"], _TEXT.name: names["read"], "summary": None, **names})


def tool_result(text: str, *, is_error: bool = False, run: RunKey | None = None) -> Json:
    """A result of text alone, of either era."""
    made: Json = {"content": [{"type": "text", "text": text.encode("utf-8", "replace").decode()}], "isError": is_error}
    return made if run is None else {**made, "_meta": {RUN_META: format_run(run)}}


def packets_json(text: str, packets: tuple[Packet, ...]) -> Json:
    return dict(structured(_TEXT.name, ToolAnswer(text, packets)))
