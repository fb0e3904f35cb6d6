"""The pages as a reader meets them."""

import sqlite3
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote, urljoin

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.pages.reading import MAX_EXCERPT_CHARS
from api.settings import Settings
from api.wiring import Services, open_services
from evidence_store.excerpts import NoLimit
from evidence_store.model import EvidenceId, ResourceName, Selector
from evidence_store.store.passages import Place
from evidence_store.store.put_request import PutRequest
from tests.unit.api.pages.reader import Element, anchors, links, read_page, walk
from tests.unit.api.routes.sample import OLD_NAME, TASK, Sample, make_sample

HOSTILE = "</code></pre><script>alert(1)</script><img src=x onerror=alert(2)>\u202egnp.exe\u200f \"'&"
HOSTILE_NAME = ResourceName("a b/\u202e<script>alert(3)</script>?#%.log")


@pytest.fixture
def hostile(tmp_path: Path) -> Iterator[tuple[Services, TestClient]]:
    """A store of its own with a hostile log beside the sample."""
    make_sample(tmp_path)
    with open_services(Settings(tmp_path)) as services:
        services.store.sources.put(PutRequest(HOSTILE_NAME, scope=HOSTILE), [f"one\n{HOSTILE}\nthree\n".encode()])
        yield services, TestClient(create_app(services, unauthenticated=True))


def read_lines(services: Services, name: ResourceName, lines: str) -> EvidenceId:
    return services.store.passages.read(Place(name, None, Selector("lines", lines)), NoLimit()).id


def get(client: TestClient, path: str, status: int = 200) -> Element:
    answer = client.get(path)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    return read_page(answer.text)


def paths_of(sample: Sample) -> list[str]:
    trace = f"/trace/{quote(TASK)}/C1"
    return ["/", f"/reports/{sample.report}", f"/evidence/{sample.old}", f"/evidence/{sample.keys}", trace, f"/trace/{sample.report}"]


def test_every_link_leads_to_a_page_and_every_fragment_to_a_place(client: TestClient, sample: Sample) -> None:
    seen: dict[str, Element | None] = {}
    todo = ["/"]
    while todo:
        path = todo.pop()
        answer = client.get(path)
        assert answer.status_code == 200, path
        is_page = answer.headers["content-type"].startswith("text/html")
        seen[path] = read_page(answer.text) if is_page else None
        found = links(seen[path] or Element("", {}))
        todo += {urljoin(path, one).partition("#")[0] for one in found} - seen.keys() - set(todo)
    for path, page in seen.items():
        for target, hash_, fragment in (urljoin(path, one).partition("#") for one in links(page or Element("", {}))):
            linked = seen[target]
            assert not hash_ or (linked is not None and fragment in anchors(linked)), (path, fragment)
    assert {f"/evidence/{sample.old}", f"/evidence/{sample.keys}", f"/trace/{sample.report}"} <= seen.keys()


def test_pages_can_be_found_ones_way_in(client: TestClient, sample: Sample) -> None:
    """Landmarks, one main heading, headings without gaps, tables with captions, no id twice, nothing that runs."""
    for path in paths_of(sample):
        page = get(client, path)
        assert [len(page.all(tag)) for tag in ("header", "main", "footer", "h1")] == [1, 1, 1, 1], path
        levels = [int(one.tag[1]) for one in page.all("h1", "h2", "h3")]
        assert levels[0] == 1
        assert all(after - before <= 1 for before, after in pairwise(levels)), path
        assert all(table.children[0].tag == "caption" for table in page.all("table")), path
        assert all("scope" in one.attributes for one in page.all("th")), path
        ids = [one.attributes["id"] for one in walk(page) if "id" in one.attributes]
        assert len(ids) == len(set(ids)), path
        assert page.all("body")[0].children[0].attributes["class"] == "skip"
        assert page.all("script", "style", "img", "iframe", "form", "object") == []
        assert not any(name == "style" or name.startswith("on") for one in walk(page) for name in one.attributes)


def test_each_page_names_its_json(client: TestClient, sample: Sample) -> None:
    for path in paths_of(sample)[1:]:
        twins = [one for one in get(client, path).all("link") if one.attributes["rel"] == "alternate"]
        assert [client.get(str(one.attributes["href"])).headers["content-type"] for one in twins] == ["application/json"]


def test_a_report_leads_from_a_claim_to_its_trace_and_from_a_citation_to_its_evidence(client: TestClient, sample: Sample) -> None:
    page = get(client, f"/reports/{sample.report}")
    article = page.all("article")[0]
    found = {urljoin(f"/reports/{sample.report}", one) for one in links(article)}
    assert {f"/evidence/{sample.old}", f"/evidence/{sample.new}", f"/trace/{quote(TASK)}/C1", f"/trace/{quote(TASK)}/C3"} <= found
    assert {"C1", "C2", "C3"} <= anchors(page)
    assert "mislead <b>readers</b> into" in article.text


def test_a_report_shows_where_its_claims_stand_now(client: TestClient, sample: Sample) -> None:
    table = next(one for one in get(client, f"/reports/{sample.report}").all("table") if "now" in one.children[0].text)
    standings = [one.text for one in walk(table) if str(one.attributes.get("class")).startswith("standing ")]
    assert [one.text for one in table.all("th")[5:]] == ["C1", "C2", "C3"]
    assert standings == ["verified", "verified", "verified", "verified", "open", "open"]
    assert "ungrounded:70" in table.text


def test_an_evidence_says_where_it_was_shown_and_what_rests_on_it(client: TestClient, sample: Sample) -> None:
    page = get(client, f"/evidence/{sample.old}")
    tables = {table.children[0].text.split(" by ")[0]: table for table in page.all("table")}
    assert [one.text for one in tables["1 exposure"].all("tr")[1].children[:3]] == [f"{TASK}/run 1/step 1", "delivered", "in full"]
    assert "The `maximum` went from 100 to 50." in tables["1 citation"].text
    assert f"{TASK}/C1" in tables["1 citation"].text
    assert "✓ ok" in page.text


def test_a_derived_evidence_shows_what_was_made_of_the_passage(client: TestClient, sample: Sample) -> None:
    page = get(client, f"/trace/{sample.keys}")
    assert [one.text for one in page.all("pre") if one.attributes["class"] == "excerpt"] == ['["get"]']
    assert "keys/1" in page.text


def test_a_trace_ends_at_the_marked_bytes_of_both_sides(client: TestClient, sample: Sample) -> None:
    page = get(client, f"/trace/{quote(TASK)}/C1")
    assert len(page.all("ol")[0].children) == 11
    assert [mark.text for mark in page.all("mark")] == ["100", "50"]
    cited = [one for one in walk(page) if one.attributes.get("class") == "line cited"]
    assert [one.attributes["id"] for one in cited] == ["L133", "s2-L133"]
    assert [one.children[1].text for one in cited] == ["            maximum: 100", "            maximum: 50"]


def test_a_trace_shows_forty_lines_around_and_no_more(client: TestClient, sample: Sample) -> None:
    page = get(client, f"/trace/{sample.old}")
    numbers = [int(one.text) for one in page.all("a") if one.attributes.get("class") == "number"]
    assert numbers == list(range(93, 174))


def test_the_lines_before_and_after_are_a_link_away(client: TestClient, sample: Sample) -> None:
    turns = next(one for one in walk(get(client, f"/trace/{sample.old}")) if one.attributes.get("class") == "turn")
    assert links(turns) == [f"/resources/{OLD_NAME}@1/source?lines=1-92", f"/resources/{OLD_NAME}@1/source?lines=174-373"]


def test_hostile_text_is_shown_and_does_nothing(hostile: tuple[Services, TestClient]) -> None:
    services, client = hostile
    id_ = read_lines(services, HOSTILE_NAME, "2-2")
    for path in ("/", f"/evidence/{id_}", f"/trace/{id_}", f"/resources/{quote(HOSTILE_NAME)}@1/source"):
        page = get(client, path)
        assert page.all("script", "img") == []
        assert "<script>alert(" in page.text
        assert "<U+202E>" in page.text
        assert not any(steering in client.get(path).text for steering in "\u202e\u200f")
    assert get(client, f"/trace/{id_}").all("mark")[0].text == HOSTILE.replace("\u202e", "<U+202E>").replace("\u200f", "<U+200F>")


def test_hostile_text_in_claims_and_reports_is_shown_and_does_nothing(hostile: tuple[Services, TestClient]) -> None:
    services, client = hostile
    run = services.store.runs.start(TASK, "agent")
    acting = "[x](javascript:alert(1)) ![y](http://evil.example/z.png)\n\n<script>alert(4)</script>"
    body = f"# {HOSTILE}\n\n{acting}\n\n| {HOSTILE} |\n|---|\n| x |\n"
    report = services.store.claims.publish(run, HOSTILE, body, [])
    page = get(client, f"/reports/{report}")
    assert page.all("script", "img") == []
    assert not any("javascript:" in one for one in links(page))
    assert "<script>alert(4)</script>" in page.text
    assert page.all("title")[0].text.startswith("</code></pre><script>")


def test_a_long_passage_is_cut_and_its_end_is_a_link_away(hostile: tuple[Services, TestClient]) -> None:
    services, client = hostile
    name = ResourceName("long.log")
    services.store.sources.put(PutRequest(name), [b"".join(b"line %d of it all\n" % n for n in range(5000))])
    id_ = read_lines(services, name, "1-4000")
    page = get(client, f"/trace/{id_}")
    assert len(page.all("mark")) == 200
    assert "The passage goes on to line 4,000" in page.text
    assert len(get(client, f"/evidence/{id_}").all("pre")[0].text) <= MAX_EXCERPT_CHARS
    window = get(client, "/resources/long.log@1/source?lines=10-4000")
    assert [int(one.text) for one in window.all("a") if one.attributes.get("class") == "number"] == list(range(10, 410))


def test_damaged_bytes_are_said_and_the_page_is_there(tmp_path: Path) -> None:
    sample = make_sample(tmp_path)
    with sqlite3.connect(tmp_path / "evidence.db") as connection:
        connection.execute("UPDATE blobs SET inline = zeroblob(length(inline))")
    connection.close()
    with open_services(Settings(tmp_path)) as services:
        client = TestClient(create_app(services, unauthenticated=True))
        trace = get(client, f"/trace/{sample.old}")
        evidence = get(client, f"/evidence/{sample.old}")
        problem = client.get(f"/v1/evidence/{sample.old}")
    assert "checks failed" in trace.text
    assert "The source cannot be shown:" in trace.text
    assert "The passage cannot be shown:" in evidence.text
    assert "✗ mismatch" in evidence.text
    assert (problem.status_code, problem.json()["code"]) == (500, "integrity_mismatch")


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/evidence/ev_0000000000000", 404),
        ("/evidence/what", 400),
        ("/reports/rp_0", 404),
        ("/trace/what", 400),
        ("/nothing", 404),
        ("/resources/nothing@1/source", 404),
        (f"/resources/{OLD_NAME}@1/source?lines=9-1", 400),
        (f"/resources/{OLD_NAME}@1/source?lines=99999-99999", 404),
        (f"/resources/{OLD_NAME}@0/source", 422),
        (f"/resources/{OLD_NAME}@99999999999999999999/source", 422),
    ],
)
def test_errors_are_pages(client: TestClient, path: str, status: int) -> None:
    assert len(get(client, path, status).all("h1")) == 1


def test_a_page_that_the_reader_has_is_not_sent_again(client: TestClient, sample: Sample) -> None:
    for path in ("/style.css", f"/reports/{sample.report}"):
        tag = client.get(path).headers["etag"]
        assert client.get(path, headers={"If-None-Match": tag}).status_code == 304


def test_an_empty_revision_has_a_page(hostile: tuple[Services, TestClient]) -> None:
    services, client = hostile
    services.store.sources.put(PutRequest(ResourceName("empty.log")), [b""])
    assert "the revision is empty" in get(client, "/resources/empty.log@1/source").text


def test_an_id_with_folded_letters_says_so(client: TestClient, sample: Sample) -> None:
    assert "letters were folded" in get(client, f"/evidence/{sample.old.upper()}").text
