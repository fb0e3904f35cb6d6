"""Lines of a closing turn that name evidence are conclusions; nothing else is."""

from api.loop.conclusions import iter_conclusions

A, B = "ev_tpvnrht0mge4", "ev_yfnsa6eeyzy7"


def read(text: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(one.text, one.evidence) for one in iter_conclusions(text)]


def test_each_line_with_evidence_is_one_without_its_mark_and_its_ids() -> None:
    text = f"# Report\n\n- `maximum` is 50 [{A}]\n2. The limit fell from 100 to 50 ({A}, {B}).\nNothing else was looked at.\n"
    assert read(text) == [("`maximum` is 50", (A,)), ("The limit fell from 100 to 50.", (A, B))]


def test_ids_may_stand_anywhere_and_several_times() -> None:
    assert read(f"maximum is 50 [{A}], as {B} shows [{A}]") == [("maximum is 50, as shows", (A, B))]


def test_ids_are_read_as_models_copy_them() -> None:
    assert read("maximum is 50 [EV_TPVNRHTOMGE4]") == [("maximum is 50", (A,))]
    assert read("maximum is 50 [ev_tpvnrhtumge4]") == [("maximum is 50", ("ev_tpvnrhtumge4",))]


def test_ids_alone_conclude_nothing() -> None:
    assert read(f"[{A}]\n- {B}: \nev_short\n") == []
