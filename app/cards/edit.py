"""Changing a card's YAML in place: what stays the same keeps its bytes, its order and its comments. Pure.

An edit touches one value, adds or removes one line, or writes one top-level block anew. Whatever comes out is read
back; should it not say what it was to say, the whole card is written anew, without its comments.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import yaml

from app import yaml_tree
from app.cards.export import flow, scalar, tree_to_yaml
from app.cards.schema import Card
from app.cards.short import MOVED, expand
from app.language import F_

if TYPE_CHECKING:
    from app.yaml_tree import Document

Tree = dict[str, Any]
NO_MAPPING = F_("a card is a mapping: one `key: value` a line")
ORDER = {name: place for place, name in enumerate(Card.model_fields)}
ORDER |= {key: ORDER[block] for key, (block, _) in MOVED.items()}


def read_tree(text: str) -> Document:
    """The text's tree with short forms expanded. Its problems say where it is no tree that a form can show."""
    document = yaml_tree.parse(text, "card")
    if document.data is None and not document.problems:
        document.data = {}
    if not isinstance(document.data, dict):
        if not document.problems:
            document.problem((), NO_MAPPING)
    elif not document.problems:
        expand(document)
    return document


def rewritten(text: str, old: Tree, new: Tree) -> str:
    """`text`, whose expanded tree is `old`, so changed that its expanded tree is `new`."""
    new = _without_nulls(new)
    if _without_nulls(old) == new:
        return text
    changed = [key for key in (*old, *(key for key in new if key not in old)) if _differ(old.get(key), new.get(key))]
    edited = _edited(text, {key: (old.get(key), new.get(key)) for key in changed})
    if edited is not None:
        again = read_tree(edited)
        if not again.problems and _without_nulls(again.data) == new:
            return edited
    return tree_to_yaml(new)


def _differ(a: Any, b: Any) -> bool:
    return bool(_bare(a) != _bare(b))


def _bare(value: Any) -> Any:
    return _without_nulls(value) if isinstance(value, dict) else value


def _without_nulls(tree: Tree) -> Tree:
    """Without what is null, and without blocks that hold nothing."""
    kept: Tree = {}
    for key, value in tree.items():
        inner = _without_nulls(value) if isinstance(value, dict) else value
        if inner is not None and inner != {}:
            kept[key] = inner
    return kept


def _edited(text: str, changes: dict[str, tuple[Any, Any]]) -> str | None:
    """The text after the changes; None where it is not one `key: value` a line."""
    root = yaml.compose(text, Loader=yaml.CSafeLoader)
    if root is None:
        return text + ("\n" if text and not text.endswith("\n") else "") + _blocks(changes)
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        return None
    editor = _Editor(text, {str(key.value): (key, value) for key, value in root.value})
    for key, (old, new) in sorted(changes.items(), key=lambda item: ORDER.get(item[0], 99)):
        editor.change(key, old, new)
    return editor.result()


def _blocks(changes: dict[str, tuple[Any, Any]]) -> str:
    ordered = sorted(changes, key=lambda key: ORDER.get(key, 99))
    return tree_to_yaml(_without_nulls({key: changes[key][1] for key in ordered}))


@dataclass
class _Editor:
    """Collects edits as (start, end, replacement); they never overlap, and are made from the end."""

    text: str
    nodes: dict[str, tuple[yaml.Node, yaml.Node]]
    edits: list[tuple[int, int, str]] = field(default_factory=list)

    def result(self) -> str:
        text = self.text
        for _, (start, end, replacement) in sorted(
            enumerate(self.edits), key=lambda it: (*it[1][:2], it[0]), reverse=True
        ):
            text = text[:start] + replacement + text[end:]
        return text

    def change(self, key: str, old: Any, new: Any) -> None:
        for moved, (block, _) in MOVED.items():  # a short key beside its block says one of the block's values
            if block == key and moved in self.nodes:
                self._remove(*self.nodes[moved])
                old = None
        if key not in self.nodes:
            self._insert(key, new)
        elif not _bare(new) and new != []:
            self._remove(*self.nodes[key])
        elif isinstance(old, dict) and isinstance(new, dict) and self._within(self.nodes[key][1], old, new):
            return
        else:
            self._replace(key, new)

    def _within(self, node: yaml.Node, old: Tree, new: Tree) -> bool:
        """Change single values of a block; False where it must be written anew."""
        if not isinstance(node, yaml.MappingNode) or not node.value:
            return False
        leaves = {str(key.value): (key, value) for key, value in node.value}
        changed = [name for name in {**old, **new} if old.get(name) != new.get(name)]
        if any(not self._simple(leaves.get(name), new.get(name), flow_style=node.flow_style) for name in changed):
            return False
        kept = [name for name in leaves if name not in changed or new.get(name) is not None]
        if not kept:
            return False
        for name in changed:
            self._leaf(node, leaves.get(name), name, new.get(name))
        return True

    def _simple(self, leaf: tuple[yaml.Node, yaml.Node] | None, new: Any, *, flow_style: bool | None) -> bool:
        """Whether one value can be put, changed or taken out where it stands."""
        if leaf is None:
            return not isinstance(new, dict) and new is not None
        if new is None:
            return not flow_style
        inline = not isinstance(leaf[1], yaml.ScalarNode) or leaf[1].style not in ("|", ">")
        return isinstance(new, str) and isinstance(leaf[1], yaml.ScalarNode) and inline

    def _leaf(self, block: yaml.MappingNode, leaf: tuple[yaml.Node, yaml.Node] | None, name: str, new: Any) -> None:
        if leaf is None:
            last = self._end(block.value[-1][1])
            said = f"{scalar(name)}: {flow(new)}"
            indent = " " * block.value[0][0].start_mark.column
            at = last if block.flow_style else self._line_end(last)
            self.edits.append((at, at, f", {said}" if block.flow_style else f"\n{indent}{said}"))
        elif new is None:
            self._remove(*leaf)
        else:
            start, end = leaf[1].start_mark.index, leaf[1].end_mark.index
            self.edits.append((start, end, scalar(new) if end > start else f" {scalar(new)}"))

    def _replace(self, key: str, new: Any) -> None:
        start, end = self.nodes[key][0].start_mark.index, self._end(self.nodes[key][1])
        self.edits.append((start, end, tree_to_yaml({key: _bare(new)}).removesuffix("\n")))

    def _insert(self, key: str, new: Any) -> None:
        """A new block behind the nearest block that comes before it, else at the top."""
        said = tree_to_yaml(_without_nulls({key: new}))
        place = ORDER.get(key, 99)
        before = [name for name in self.nodes if ORDER.get(name, 99) <= place]
        if before:
            at = self._line_end(self._end(self.nodes[max(before, key=lambda name: ORDER.get(name, 99))][1]))
            self.edits.append((at, at, "\n" + said.removesuffix("\n")))
        else:
            at = next(iter(self.nodes.values()))[0].start_mark.index
            self.edits.append((at, at, said))

    def _remove(self, key: yaml.Node, value: yaml.Node) -> None:
        """The lines from a key to its value's end, a comment behind it too."""
        start = self.text.rfind("\n", 0, key.start_mark.index) + 1
        end = self._line_end(self._end(value))
        self.edits.append((start, min(end + 1, len(self.text)), ""))

    def _end(self, node: yaml.Node) -> int:
        """Where the last character of a node stands; a block's own mark lies behind the comments that follow it."""
        if isinstance(node, yaml.ScalarNode) and node.style not in ("|", ">"):
            return int(node.end_mark.index)
        if isinstance(node, yaml.MappingNode) and not node.flow_style and node.value:
            return self._end(node.value[-1][1])
        if isinstance(node, yaml.SequenceNode) and not node.flow_style and node.value:
            return self._end(node.value[-1])
        return len(self.text[: node.end_mark.index].rstrip())

    def _line_end(self, at: int) -> int:
        found = self.text.find("\n", at)
        return len(self.text) if found < 0 else found
