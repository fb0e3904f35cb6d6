"""Stored form of blobs: frames that stand alone, an ordinary zstd file around them, a digest for each."""

import hashlib
import io
import random
import struct
from dataclasses import replace

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence_store.canonical import digest_of
from evidence_store.errors import IntegrityMismatch
from evidence_store.frames import FRAME_BYTES, Encoded, FrameEncoder, decode_frames
from evidence_store.model import Span
from tests.factories import encode


def noise(n_bytes: int) -> bytes:
    return random.Random(n_bytes).randbytes(n_bytes)


SIZES = [0, 1, FRAME_BYTES - 1, FRAME_BYTES, FRAME_BYTES + 1, 3 * FRAME_BYTES, 3 * FRAME_BYTES + 7]


@pytest.mark.parametrize("size", SIZES)
def test_an_ordinary_zstd_reader_restores_the_file(size: int) -> None:
    """The public seekable format: what `zstd -d` does, frame after frame, the skippable one passed over."""
    raw = noise(size)
    with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(encode(raw).stored), read_across_frames=True) as reader:
        assert reader.read() == raw


@pytest.mark.parametrize("size", SIZES)
def test_frames_cover_the_bytes_without_gap_or_overlap(size: int) -> None:
    raw = noise(size)
    encoded = encode(raw).encoded
    assert (encoded.digest, encoded.size) == (digest_of(raw), size)
    assert [frame.number for frame in encoded.frames] == list(range(max(1, -(-size // FRAME_BYTES))))
    ends = [0, *(frame.raw.end for frame in encoded.frames)]
    assert [frame.raw.start for frame in encoded.frames] == ends[:-1]
    assert ends[-1] == size
    assert all(frame.sha256 == hashlib.sha256(raw[frame.raw.start : frame.raw.end]).digest() for frame in encoded.frames)


def test_the_table_at_the_end_is_that_of_the_seekable_format() -> None:
    """facebook/zstd, contrib/seekable_format/zstd_seekable_compression_format.md: magics, entries, footer."""
    made = encode(noise(FRAME_BYTES + 7))
    n_frames, descriptor, magic = struct.unpack("<IBI", made.stored[-9:])
    assert (n_frames, descriptor, magic) == (2, 0, 0x8F92EAB1)
    table = made.stored[-9 - 8 * n_frames :]
    assert struct.unpack("<IIII", table[:16]) == tuple(n for f in made.encoded.frames for n in (f.stored.length, f.raw.length))
    assert struct.unpack("<II", made.stored[-len(table) - 8 : -len(table)]) == (0x184D2A5E, len(table))


@settings(max_examples=25)
@given(st.lists(st.integers(0, FRAME_BYTES), max_size=6))
def test_the_pieces_in_which_bytes_arrive_do_not_matter(sizes: list[int]) -> None:
    pieces = [noise(size) for size in sizes]
    encoder = FrameEncoder()
    stored = b"".join(out for piece in pieces for out in encoder.add(piece)) + b"".join(encoder.finish())
    assert (stored, encoder.encoded) == (encode(b"".join(pieces)).stored, encode(b"".join(pieces)).encoded)


@pytest.mark.parametrize(("first", "last"), [(0, 0), (1, 1), (2, 2), (0, 2), (1, 2)])
def test_neighbouring_frames_are_decoded_alone(first: int, last: int) -> None:
    raw = noise(2 * FRAME_BYTES + 100)
    made = encode(raw)
    frames = made.encoded.frames[first : last + 1]
    slice_ = made.stored[frames[0].stored.start : frames[-1].stored.end]
    assert decode_frames(frames, slice_, made.encoded.digest) == raw[frames[0].raw.start : frames[-1].raw.end]


@pytest.mark.parametrize("at", [0, 4, 5, 100, -1])
def test_one_flipped_byte_in_a_frame_is_a_mismatch_that_names_the_place(at: int) -> None:
    made = encode(noise(2 * FRAME_BYTES))
    second = made.encoded.frames[1]
    stored = bytearray(made.stored[second.stored.start : second.stored.end])
    stored[at] ^= 1
    with pytest.raises(IntegrityMismatch) as caught:
        decode_frames([second], bytes(stored), made.encoded.digest)
    assert caught.value.details == {"blob": made.encoded.digest, "bytes": [FRAME_BYTES, 2 * FRAME_BYTES]}


def test_a_sound_frame_of_other_bytes_is_a_mismatch() -> None:
    """Well-formed zstd of the right length, and not what was stored: only the digest can tell."""
    made, other = encode(b"limit: 50\n" * 10), encode(b"limit: 99\n" * 10)
    with pytest.raises(IntegrityMismatch):
        decode_frames(made.encoded.frames, other.stored[: other.encoded.frames[0].stored.end], made.encoded.digest)


def test_a_frame_that_claims_to_grow_is_not_expanded() -> None:
    """RFC 8878 section 3.1.1.1: eight bytes of content size in a single-segment frame. A claim must not cost memory."""
    made = encode(b"x" * 10)
    claim = b"\x28\xb5\x2f\xfd" + bytes([0b1110_0000]) + struct.pack("<Q", 2**40) + b"\x01\x00\x00"
    frame = replace(made.encoded.frames[0], stored=Span(0, len(claim)))
    with pytest.raises(IntegrityMismatch):
        decode_frames([frame], claim, made.encoded.digest)


@pytest.mark.parametrize("kept", [0, 1, 10])
def test_a_frame_that_was_cut_short_is_a_mismatch(kept: int) -> None:
    made = encode(noise(1000))
    with pytest.raises(IntegrityMismatch):
        decode_frames(made.encoded.frames, made.stored[:kept], made.encoded.digest)


def test_no_frames_are_no_bytes() -> None:
    encoded: Encoded = encode(b"").encoded
    assert encoded.frames[0].raw == Span(0, 0)
    assert decode_frames([], b"", encoded.digest) == b""
    assert decode_frames(encoded.frames, encode(b"").stored, encoded.digest) == b""
