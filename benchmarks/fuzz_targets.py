"""The readers that are fuzzed, by name: what an input is made of, and inputs to begin with."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import fuzz_pieces as pieces
from benchmarks.fuzz_readers import (
    SPLIT,
    read_as,
    read_diff,
    read_diff_lines,
    read_errors,
    read_locate,
    read_packets,
    read_pointer,
    read_quote,
    read_search,
    read_sections,
    read_spans,
    read_step,
    read_unnamed,
    show_encoded,
)
from benchmarks.fuzz_stored import read_stored
from benchmarks.fuzz_texts import (
    read_canonical,
    read_frames,
    read_ids,
    read_lines,
    read_openapi,
    read_relocate,
    read_report,
    read_sentence,
    read_summary,
    read_wide_lines,
)
from evidence_store.model import Format

FIXTURES = Path(__file__).parent.parent / "tests" / "fixtures"


@dataclass(frozen=True)
class Target:
    """One reader. `act` raises EvidenceStoreError for what is refused."""

    act: Callable[[bytes], None]
    pieces: Sequence[bytes]
    suffixes: Sequence[str] = field(default=())
    """Files of the fixtures that are inputs to begin with, by suffix."""
    n_switches: int = 0
    """Bytes at the front of an input that choose how it is read."""
    starts: Sequence[bytes] = field(default=())
    """Whole inputs to begin with, without switches."""

    def seeds(self) -> list[bytes]:
        files = [path.read_bytes() for suffix in self.suffixes for path in sorted(FIXTURES.rglob(f"*{suffix}"))]
        switches = {bytes(self.n_switches), b"\1" * self.n_switches, b"\0" + b"\1" * (self.n_switches - 1)} if self.n_switches else {b""}
        return [before + raw for raw in (*self.starts, *files) if len(raw) <= 4000 for before in sorted(switches)]


TARGETS: Mapping[str, Target] = {
    "json": Target(read_as(Format.JSON), pieces.JSON, (".json",), 2, (b'{"a":[1.10,{"b":"\\u4e2d"}],"a":null}',)),
    "jsonl": Target(read_as(Format.JSONL), [*pieces.JSON, b"\n", b"\r\n"], (".jsonl",), 2, (b'{"a":1}\n\n [1,{"a":2,"a":3}]\r\n"x"',)),
    "yaml": Target(read_as(Format.YAML), pieces.YAML, (".yaml", ".json"), 2, (pieces.TWO_YAML.replace(b"\0", b""), pieces.PAIRS_YAML)),
    "junit": Target(read_as(Format.JUNIT), pieces.JUNIT, (".xml",), 2, (pieces.JUNIT_REPORT,)),
    "csv": Target(
        read_as(Format.CSV), [b"a", b",", b";", b'"', b'""', b"\n", b"\r\n", b"\xff", b"\t", b"|"], (".csv",), 2, (b'a,b\n"1\n",""\n',)
    ),
    "text": Target(read_as(Format.TEXT), pieces.TEXT, (".log", ".txt"), 2, (b"".join(pieces.TEXT),)),
    "encodings": Target(show_encoded, pieces.TEXT, (".log", ".txt"), 1, (b"".join(pieces.TEXT),)),
    "unnamed": Target(
        read_unnamed, [*pieces.JSON, *pieces.YAML[:8], *pieces.JUNIT[:8], *pieces.TEXT], (".json", ".yaml", ".xml", ".log"), 2
    ),
    "spans": Target(read_spans, pieces.JSON, (".json",), 1, (b'{"a":[1.10,{"b":"\\u4e2d"},[],[2,3]],"c":null}',)),
    "pointers": Target(
        read_pointer, [b"/", b"~0", b"~1", b"~", b"#", b"%2F", b"%", b"a", b"0", b"01", b"-", b"%25", b"\xc3\xa9"], (), 0, (b"/a/1/c~1d",)
    ),
    "quotes": Target(read_quote, pieces.WORDS, (".md", ".log"), 1, (b"alpha ... gamma" + SPLIT + "é alpha\u00a0“beta” gamma".encode(),)),
    "search": Target(
        read_search, pieces.WORDS, (".log",), 3, tuple(one + SPLIT + b"alpha \x1b[31mbeta\x1b[0m gamma\r\n" for one in (b"b.*a", b"beta g"))
    ),
    "diff": Target(read_diff, pieces.PAIR, (), 1, (pieces.TWO_JSON, pieces.TWO_YAML)),
    "locate": Target(read_locate, pieces.PAIR, (), 2, (b"/a/1" + SPLIT + pieces.TWO_JSON, b"/c/d/0" + SPLIT + pieces.TWO_YAML)),
    "diff_lines": Target(
        read_diff_lines, [SPLIT, b"\n", b"pid 12", b"12:00:01.5 ", b"0x7fff00 ", b"3 ms", b"a"], (), 1, (b"a\nb\n" + SPLIT + b"b\n",)
    ),
    "packets": Target(read_packets, pieces.PACKET, (), 0, tuple(b"".join(pieces.PACKET[n] for n in one) for one in pieces.WHOLE)),
    "errors": Target(read_errors, pieces.PACKET, (), 0, (b"".join(pieces.PACKET[20:25]),)),
    "sections": Target(read_sections, [*pieces.SECTION, *pieces.PACKET], (), 0, (b"".join(pieces.SECTION),)),
    "lines": Target(read_lines, [b"\n", b"\r\n", b"\r", b"a", b"\x0b\x0c", b"\xe2\x80\xa8", b"\n\n"], (".log",), 4, (b"a\nb\r\n\nc",)),
    "wide_lines": Target(
        read_wide_lines,
        [b"\n", b"\r\n", "上Ċ中😀\ufeff".encode(), "ਅĀ".encode(), "Āਅ".encode(), b"a"],
        (".log",),
        2,
        ("a\n上\nĊਅĀਅ".encode(),),
    ),
    "frames": Target(read_frames, pieces.TEXT, (".log",), 3, (b"".join(pieces.TEXT), b"")),
    "ids": Target(read_ids, [b"ev_", b"tpvnrht0mge4", b"EV_", b"O", b"l", b"I", b" ", "ſK".encode()], (), 0, (b"ev_tpvnrht0mge4",)),
    "canonical": Target(
        read_canonical, [*pieces.JSON, b"9007199254740993", b"1e22", b"5e-324"], (".json",), 1, (b'{"b":[1.0,"\\u20ac"],"a":null}',)
    ),
    "report": Target(read_report, pieces.REPORT, (".md",), 0, (b"".join(pieces.REPORT),)),
    "sentence": Target(
        read_sentence, pieces.REPORT, (".md",), 0, (b'from "1.50" to `a_b` at /a/{b}, -5' + SPLIT + b"1.50 a_b" + SPLIT + b"/a/{b} -5",)
    ),
    "summaries": Target(
        read_summary,
        [*pieces.SUMMED, *pieces.JSON, *pieces.YAML[:10], *pieces.JUNIT[:9]],
        (".json", ".yaml", ".log", ".xml"),
        2,
        (*pieces.SUMMED[6:17], b"[" + b",".join(pieces.SUMMED[2:5]) + b"]", b"".join(pieces.SUMMED[:2]), pieces.JUNIT_REPORT),
    ),
    "openapi": Target(read_openapi, [*pieces.OPENAPI, *pieces.YAML[:6]], (), 2, (pieces.API, SPLIT + SPLIT + bytes(range(60)))),
    "relocate": Target(
        read_relocate,
        [*pieces.PAIR, *pieces.WORDS[:9], b"pid 12"],
        (".log",),
        2,
        (b"alpha 1\nbeta" + SPLIT + b"x\nalpha 2\nbeta\n", b"" + SPLIT + b"\1" + pieces.TWO_JSON),
    ),
    "stored": Target(
        read_stored,
        [SPLIT, *pieces.JSON, *pieces.YAML[:14], *pieces.JUNIT[:9], *pieces.TEXT],
        (),
        4,
        (
            b"alpha" + SPLIT + b'{"a":[1.10,{"b":"alpha"}]}',
            b"beta" + SPLIT + b"a: &x {k: beta}\nb: *x\n",
            b"x" + SPLIT + pieces.JUNIT_REPORT,
            b"b\n" + SPLIT + b"a\nb\nc",
        ),
    ),
    "step": Target(read_step, pieces.STEP, ("step.json",), 0, (pieces.STEP[0],)),
}
