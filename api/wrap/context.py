"""What wrapping stands on: the tools with their store and step, the rules, and the counter by which texts are held to budgets."""

from collections.abc import Callable
from dataclasses import dataclass, field

from api.tools import ToolContext, Tools
from api.wrap.naming import OwnNames
from api.wrap.rules import WrapRules
from projector import TokenCounter


@dataclass(frozen=True, slots=True)
class WrapContext:
    tools: Tools
    rules: WrapRules
    counter: Callable[[], TokenCounter]
    """Loaded when it is first asked for: bytes settle most results."""
    names: OwnNames = field(default_factory=OwnNames)
    """Of our tools, beside those of others."""

    def fits(self, text: str, n_tokens: int) -> bool:
        """Whether a text has at most so many tokens. No tokenizer is asked where its bytes tell."""
        limit = self.tools.limit(n_tokens)
        most = limit.max_bytes
        return (most is None or len(text) <= most) and limit.fits(text)

    def no_summary_over(self, tool: str, n_bytes: int) -> int | None:
        """The bound in bytes, where so many are more than are summarised while a call waits."""
        bound = self.rules.of(tool).summary_bytes
        return bound if n_bytes > bound else None

    def n_fitting(self, n_most: int, text_of: Callable[[int], str], n_tokens: int) -> int:
        """The greatest number up to `n_most` whose text fits; 0 where that of one does not. More never take less."""
        low, high = 0, n_most
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.fits(text_of(middle), n_tokens) else (low, middle - 1)
        return low

    def cost(self, text: str, room: int) -> int:
        """Tokens that a text which fits its room takes of it; its bytes, which are never fewer, where they fit, too."""
        n_bytes = len(text.encode("utf-8", "surrogatepass"))
        return n_bytes if n_bytes <= room else min(room, self.counter().count(text))


@dataclass(frozen=True, slots=True)
class StoreContext(WrapContext):
    """The same over a store that is here, where outputs are shown from."""

    tools: ToolContext
