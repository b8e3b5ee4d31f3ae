"""The change log's page says what its file says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.settings import ROOT
from app.web.changelog_page import changelog_page
from tests.web.markup import read

if TYPE_CHECKING:
    from tests.conftest import Client


def test_every_item_of_the_file_stands_on_the_page_and_the_footer_leads_there(site: Client) -> None:
    assert read(site.get("/axes").text).one("footer").one("a", href="/changelog")
    main = read(site.get("/changelog").text).one("main")
    text = (ROOT / "CHANGELOG.md").read_text()
    assert len(main.all("li")) == text.count("\n- ") > 0
    assert [heading.text for heading in main.all("h2")] == [
        line[3:] for line in text.splitlines() if line.startswith("## ")
    ]
    assert "".join(text.replace("`", "").split("\n- ")[-1].split()) == "".join(main.all("li")[-1].text.split())


def test_an_item_over_several_lines_is_one_and_its_code_stands_by_itself() -> None:
    (section,) = changelog_page("# Changelog\n\n## 1.0 (today)\n\n- One `a <b>`\n  two.\n- Three.\n").sections
    said = [[(piece.words, piece.code) for piece in item] for item in section.items]
    assert section.heading == "1.0 (today)"
    assert said == [[("One ", False), ("a <b>", True), (" two.", False)], [("Three.", False)]]
