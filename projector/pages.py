"""Pages of claims: one call of `list_claims` brings each claim that a section does not list, and its argument stands in the section.

Pages are made of all claims that the reader may see, listed or not, of whatever standing: so they are the same for every section, a
claim moves no page before it, and a section never names more of them than before it listed something. Claims whose ids are none of
the store's (`C12`) are on no page.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from evidence_store.model import ClaimView
from projector.render.claim_pages import ClaimRange, find_claim_number, format_claim_range

# What `list_claims` answers by default (api/tools/recording.py). A page has no more numbers, since there may be claims at them that
# are not seen here.
PAGE_CLAIMS = 100
# Of the dynamic budget, in percent: the answer has to stand whole in the next input, beside all else that must.
PAGE_SHARE = 50
# What one result may take, whatever the window.
MAX_PAGE_TOKENS = 25_000
# A page takes about ten tokens to name. A section names at most so many, and one for so many tokens of the dynamic budget.
MAX_PAGES = 40
TOKENS_PER_PAGE = 400


@dataclass(frozen=True, slots=True)
class Pages:
    """Where each claim is to be had."""

    ranges: tuple[ClaimRange, ...] = ()
    """In order, none overlapping another."""
    page_of: Mapping[str, int] | None = None
    """Id to place in `ranges`."""
    most: int = MAX_PAGES
    """A section names no more than these."""

    def named(self, ids: Iterable[str]) -> tuple[tuple[str, int], ...]:
        """The ranges in which these claims are, as arguments of `list_claims`, with how many of them.

        Neighbours are joined where there are more pages than a section may name; such a range takes several calls, each with the
        `next` of the one before. Which are joined does not depend on the ids, so that fewer of them never take more words.
        """
        known, n_joined = self.page_of or {}, -(-len(self.ranges) // self.most) or 1
        counts = Counter(known[id_] // n_joined for id_ in ids if id_ in known)
        return tuple((format_claim_range(self._joined(at * n_joined, n_joined)), n) for at, n in sorted(counts.items()))

    def _joined(self, first: int, n_pages: int) -> ClaimRange:
        pages = self.ranges[first : first + n_pages]
        return ClaimRange(pages[0].first, pages[-1].last)


def pages_of(claims: Iterable[ClaimView], price: Callable[[ClaimView], int], dynamic_tokens: int) -> Pages:
    """As many claims to a page, in the order of their numbers, as one answer and half of the dynamic budget hold; at least one."""
    numbered = {number: claim for claim in claims if (number := find_claim_number(claim.id)) is not None}
    page_tokens = min(dynamic_tokens * PAGE_SHARE // 100, MAX_PAGE_TOKENS)
    ranges: list[ClaimRange] = []
    page_of: dict[str, int] = {}
    left = 0
    for number in sorted(numbered):
        claim = numbered[number]
        tokens = price(claim)
        if not ranges or tokens > left or number - ranges[-1].first >= PAGE_CLAIMS:
            left = page_tokens
            ranges.append(ClaimRange(number, number))
        left -= tokens
        ranges[-1] = ClaimRange(ranges[-1].first, number)
        page_of[claim.id] = len(ranges) - 1
    return Pages(tuple(ranges), page_of, max(1, min(MAX_PAGES, dynamic_tokens // TOKENS_PER_PAGE)))
