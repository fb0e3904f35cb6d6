"""Wire models of tools outside of runs, and of how a stored output is shown."""

from typing import Annotated

from pydantic import ConfigDict, Field, JsonValue

from api.schemas import Wire
from api.schemas.texts import Label
from api.tools.context import MAX_MAX_TOKENS

FilterText = Annotated[str, Field(max_length=8000)]
FilterTexts = Annotated[list[FilterText], Field(max_length=50)]


class FiltersModel(Wire):
    """What of an output is asked for, as docs/wrapping.md has it; all of it without any."""

    grep: FilterText | None = None
    tail_n: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    fields: FilterTexts = Field(default_factory=list)
    pointer: FilterText | None = None


class PreviewRequest(Wire):
    model_config = ConfigDict(json_schema_extra={"examples": [{"tool": "get_logs", "tokens": 2000}]})
    tool: Label
    """Whose output it is."""
    tokens: Annotated[int, Field(ge=1, le=MAX_MAX_TOKENS)] | None = None
    """That the text may have; null: the id of the whole alone."""
    summary_bytes: Annotated[int, Field(ge=0, lt=2**53)] | None = None
    """Of a larger output no summary is made."""
    filters: FiltersModel = FiltersModel()
    whole: bool = False
    """All of a text in one packet, where it fits; else its id."""


class PreviewAnswer(Wire):
    text: str
    """What a model gets in place of the output."""
    packets: list[dict[str, JsonValue]]
    """Those that it shows, as `evidence get --json` prints them."""
