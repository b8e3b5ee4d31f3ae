"""A card between its text and the fields of a form: nothing is lost on the way, comments included."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.cards.edit import read_tree, rewritten
from app.cards.examples import FILLED, LONG, SHORT
from app.cards.form import INPUTS, FormCard, from_fields, from_text
from app.cards.load import read_card
from tests.cards.factories import SOUND, sound

COMMENTED = """\
# My card
engine: sglang@835c390   # the commit of the post
model: org/M
hardware:
  accelerator: GB300  # as nvidia-smi says
  # two more stand idle
  count: 4
kv_dtype: fp8  # set by a flag
also: [{axis: ttft, value: 41.2, unit: ms}]
workload: {input_tokens: 4096, concurrency: 1}  # short
unknown_key: stays
"""


def shown(text: str) -> FormCard:
    found = from_text(text)
    assert found is not None
    return found


def typed(base: str, **changed: str) -> str:
    """The text after these fields were changed; `__` stands for the point."""
    found = from_fields(base, {name.replace("__", "."): value for name, value in changed.items()})
    assert found is not None
    assert not found.problems
    return found.text


@pytest.mark.parametrize("text", [LONG, SHORT, FILLED, SOUND, COMMENTED, "", "engine: vllm # x"])
def test_fields_that_are_sent_back_untouched_change_no_byte(text: str) -> None:
    values = shown(text).values
    assert set(values) == set(INPUTS)
    again = from_fields(text, values)
    assert again is not None
    assert (again.text, again.problems) == (text, {})


@pytest.mark.parametrize("text", [LONG, FILLED, SOUND])
def test_a_card_typed_anew_into_an_empty_form_is_the_same_card(text: str) -> None:
    found = from_fields("", shown(text).values)
    assert found is not None
    assert read_card(found.text).card == read_card(text).card


def test_one_changed_value_leaves_everything_else_as_it_was() -> None:
    assert typed(COMMENTED, hardware__count="8") == COMMENTED.replace("count: 4", "count: 8")
    assert typed(COMMENTED, workload__concurrency="16") == COMMENTED.replace("concurrency: 1}", "concurrency: 16}")
    assert typed(COMMENTED, model__id="org/N") == COMMENTED.replace("model: org/M", "model:\n  id: org/N")


def test_a_new_value_is_put_into_its_block() -> None:
    assert typed(COMMENTED, hardware__host="two sockets") == COMMENTED.replace(
        "  count: 4\n", "  count: 4\n  host: two sockets\n"
    )
    assert typed(COMMENTED, workload__seed="1") == COMMENTED.replace("concurrency: 1}", "concurrency: 1, seed: 1}")
    assert typed(COMMENTED, title="T") == COMMENTED.replace("engine:", "title: T\nengine:")
    two = typed(COMMENTED, metric__axis="ttft", runs__count="6")
    assert "# short\nruns:\n  count: 6\nmetric:\n  axis: ttft\n" in two
    assert typed(COMMENTED, runs__count="6") == COMMENTED.replace("# short\n", "# short\nruns:\n  count: 6\n")


def test_an_emptied_field_is_not_stated_any_more() -> None:
    gone = "  accelerator: GB300  # as nvidia-smi says\n"
    assert typed(COMMENTED, hardware__accelerator="") == COMMENTED.replace(gone, "")
    assert "kv_dtype" not in typed(COMMENTED, dtypes__kv="")
    assert "model" not in typed(COMMENTED, model__id="")


def test_a_short_key_and_a_short_form_are_written_out_when_they_change() -> None:
    text = typed(COMMENTED, dtypes__kv="bf16", dtypes__weights="fp8", engine__commit="", engine__version="0.5.23")
    card = read_tree(text).data
    assert card["dtypes"] == {"kv": "bf16", "weights": "fp8"}
    assert card["engine"] == {"name": "sglang", "version": "0.5.23"}
    assert "# the commit of the post" in text
    assert "unknown_key: stays" in text


def test_an_open_choice_stays_until_it_is_made() -> None:
    assert "vllm | sglang" in typed(SHORT, hardware__count="8")
    assert "vllm | sglang" not in typed(SHORT, engine__name="vllm")


@pytest.mark.parametrize(
    ("path", "text", "value"),
    [
        ("parallelism", "DEP2", {"dp": "2", "ep": "2", "dp_attention": "true"}),
        ("parallelism", "TP4 EP4", {"tp": "4", "ep": "4"}),
        ("parallelism", "{tp: 4, dp_attention: false}", {"tp": "4", "dp_attention": "false"}),
        ("parallelism", "prefill apart", {"note": "prefill apart"}),
        ("approximations", "none", []),
        ("approximations", "a on, b off", [{"name": "a", "on": "on"}, {"name": "b", "on": "off"}]),
        ("excludes", "full prefill\nwarm-up", ["full prefill", "warm-up"]),
        ("excludes", "none", []),
        ("launch.argv", "vllm serve 'a b' \\\n  --tp 4", ["vllm", "serve", "a b", "--tp", "4"]),
        ("launch.env", "export A=1  # why\nB='x y'", {"A": "1", "B": "x y"}),
        ("quality.checked", "true", "true"),
    ],
)
def test_what_people_type_becomes_what_it_means_and_is_shown_again(path: str, text: str, value: Any) -> None:
    found = from_fields("", {path: text})
    assert found is not None
    block, _, part = path.partition(".")
    data = read_tree(found.text).data[block]
    assert (data[part] if part else data) == value
    again = from_fields("", {path: shown(found.text).values[path]})
    assert again is not None
    assert read_tree(again.text).data == read_tree(found.text).data


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("launch.argv", "vllm 'serve", "never closed"),
        ("launch.env", "A", "no `=`"),
        ("launch.env", "A='x", "never closed"),
        ("parallelism", "{tp: 4", "not YAML"),
    ],
)
def test_what_cannot_be_taken_is_told_by_its_field_and_stays_typed(path: str, text: str, said: str) -> None:
    found = from_fields(COMMENTED, {path: text})
    assert found is not None
    assert said in found.problems[path]
    assert (found.values[path], found.text) == (text, COMMENTED)


@pytest.mark.parametrize("text", ["engine: [", "- a\n", "a: 1\na: 2\n", "dtypes: {kv: a}\nkv_dtype: b\n", "a: &x 1\n"])
def test_a_text_that_is_no_tree_has_no_fields(text: str) -> None:
    assert from_text(text) is None
    assert from_fields(text, {"title": "T"}) is None


def test_a_value_that_only_yaml_can_show_stays() -> None:
    text = 'engine: {name: [a]}\nnote: "a\\nb"\nexcludes: ["a\\nb"]\nhardware: {count: {x: 1}}\n'
    values = shown(text).values
    assert values["note"] == "a\nb"
    again = from_fields(text, {**values, "title": "T"})
    assert again is not None
    assert read_tree(again.text).data == {**read_tree(text).data, "title": "T"}


words = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=12).map(
    str.strip
)
odd = st.sampled_from(["1", "yes", "null", "a: b", "# x", "- y", "é | ü", "{", "x\ny"])
scalars = st.one_of(words.filter(bool), odd)
trees = st.dictionaries(
    st.sampled_from(["title", "engine", "hardware", "workload", "result", "note", "extra"]),
    st.one_of(scalars, st.dictionaries(st.sampled_from(["a", "b", "value", "unit"]), scalars, min_size=1, max_size=3)),
    max_size=5,
)
layouts = st.sampled_from(["block", "flow", "comments"])


def written(tree: dict[str, Any], layout: str) -> str:
    from app.cards.export import flow, scalar, tree_to_yaml

    if layout == "block":
        return tree_to_yaml(tree)
    lines = [f"{scalar(key)}: {flow(value)}" for key, value in tree.items()]
    return "\n".join(f"# c\n{line}  # d" if layout == "comments" else line for line in lines)


def plain(tree: dict[str, Any]) -> bool:
    """Whether no short form or open choice changes the tree as it is read."""
    document = read_tree(written(tree, "block"))
    return not document.problems and document.data == tree


@given(trees.filter(plain), trees.filter(plain), layouts)
def test_whatever_changes_the_text_says_it_afterwards(old: dict[str, Any], new: dict[str, Any], layout: str) -> None:
    text = written(old, layout)
    assert read_tree(text).data == old
    assert read_tree(rewritten(text, old, new)).data == new


def test_the_sound_card_keeps_its_bytes_but_for_what_changes() -> None:
    assert typed(sound(), result__value="9") == sound().replace("223.50", "9")
