"""Names that stand for "module:attribute", imported on first use: the one table type of all registries.

    NETS = LazyTable("network", {"esim": "rightreasons.nets.esim:Esim"})
    NETS.load("esim")  # imports rightreasons.nets.esim

A table with a group also has the parts that installed packages declare as entry points of that group.
"""

from __future__ import annotations

import importlib
from typing import Any, Protocol, TypeVar


class HasTarget(Protocol):
    """An entry of a table that says more than its target, such as a line of help."""

    @property
    def target(self) -> str:
        """Where the part is, written module:attribute."""


E = TypeVar("E", bound=str | HasTarget)


class LazyTable(dict[str, E]):
    """The entries of one kind of part by name: targets, or objects with an attribute `target`."""

    def __init__(self, kind: str, entries: dict[str, E], *, group: str | None = None) -> None:
        """Set what the parts are called in messages, the built-in entries and the group of entry points."""
        super().__init__(entries)
        self.kind, self.group = kind, group

    def list_names(self) -> list[str]:
        """List all names: the built-in ones first, then those of plugins."""
        return list(self.find_targets())

    def find_targets(self) -> dict[str, str]:
        """Return the target of each name; a plugin does not replace a built-in part."""
        targets = {name: entry if isinstance(entry, str) else entry.target for name, entry in self.items()}
        for name, target in self.find_plugin_targets():
            targets.setdefault(name, target)
        return targets

    def find_plugin_targets(self) -> tuple[tuple[str, str], ...]:
        """Return the names and targets that installed packages declare."""
        if self.group is None:
            return ()
        from rightreasons.core.plugins import find_entry_points

        return find_entry_points(self.group)

    def has(self, name: str) -> bool:
        """Return whether a part of that name exists, built-in or of a plugin."""
        return name in self or any(name == plugin for plugin, _ in self.find_plugin_targets())

    def load(self, name: str) -> Any:
        """Import the part of that name; raise UnknownNameError if there is none."""
        targets = self.find_targets()
        if name not in targets:
            from rightreasons.core.errors import UnknownNameError

            raise UnknownNameError(self.kind, name, targets)
        if self.group is None:
            return load_target(targets[name])
        self._refuse_duplicate_name(name, targets[name])
        from rightreasons.core.plugins import load_part

        return load_part(self.kind, name, targets[name], foreign=name not in self)

    def _refuse_duplicate_name(self, name: str, target: str) -> None:
        """Raise InputError if the name stands for two parts."""
        others = [other for plugin, other in self.find_plugin_targets() if plugin == name and other != target]
        if others:
            from rightreasons.core.errors import InputError

            raise InputError(
                f"There are two {self.kind}s called {name!r}: {target} and {others[0]}. "
                "Uninstall one of the two packages, or ask an author to rename theirs."
            )


def load_target(target: str) -> Any:
    """Import what "module:attribute" stands for."""
    module, _, attribute = target.partition(":")
    return getattr(importlib.import_module(module), attribute)
