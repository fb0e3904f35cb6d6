"""Trims message lists with langchain-core, in its environment: `python -m benchmarks.live.trim_worker COUNTER CAP_TOKENS`.

A list of OpenAI Chat a line in, a list a line out. Started by `trimming`, never imported.
"""

import json
import sys
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AnyMessage, convert_to_messages, convert_to_openai_messages, trim_messages

from projector import TokenCounter, counter_for


def trimmed(messages: Sequence[Any], counter: TokenCounter, cap_tokens: int) -> list[Any]:
    """The list without its older messages."""

    def count(kept: list[AnyMessage]) -> int:
        return counter.count(json.dumps(convert_to_openai_messages(kept), ensure_ascii=False))

    given = convert_to_messages(list(messages))
    kept = trim_messages(given, max_tokens=cap_tokens, token_counter=count, strategy="last", start_on="human", include_system=True)
    return list(convert_to_openai_messages(kept))


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(trimmed(json.loads(line), counter_for(sys.argv[1]), int(sys.argv[2]))), flush=True)
