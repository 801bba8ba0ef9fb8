"""Declarations of networks: what `list` reads without torch, options, and how a network reads words."""

from __future__ import annotations

import pytest

from rightreasons.core import options, registry
from rightreasons.core.errors import InputError, UnknownNameError

pytest.importorskip("torch")

from rightreasons.nets import NETS
from rightreasons.nets.declaration import LiteralOptions, NetworkOptions, summarize_network

COMMON = set(options.get_schema(NetworkOptions))


@pytest.mark.parametrize("name", NETS)
def test_a_summary_is_that_of_the_declaration(name: str) -> None:
    assert summarize_network(name) == (NETS[name].about, NETS[name].parameters)


@pytest.mark.parametrize("name", NETS)
def test_a_literal_form_is_an_option_exactly_where_code_and_paper_differ(name: str) -> None:
    network = NETS[name]
    differs = "literal" in network.module_parameters or bool(network.literal_text)
    assert issubclass(network.options, LiteralOptions) is differs


def test_own_options_are_those_of_the_declaration() -> None:
    own = {name: set(options.get_schema(NETS[name].options)) - COMMON - {"literal"} for name in NETS}
    assert {name: names for name, names in own.items() if names} == {
        "spinn": {"parser"},
        "jiant": {"encoder", "frozen", "attention"},
    }


def test_options_that_the_module_has_are_passed_to_it() -> None:
    jiant = NETS["jiant"]
    chosen = options.build_part(
        jiant.options, {"attention": "no", "dropout": "0.3", "width": "7", "epochs": "2"}
    )
    assert jiant.select_module_options(chosen) == {"attention": False, "dropout": 0.3}


def test_sizes_are_those_of_the_preset_or_the_defaults_of_the_module() -> None:
    assert NETS["da"].get_default_size("hidden", "paper") == 200
    assert NETS["da"].get_default_size("hidden", "small") == 100
    assert NETS["da"].get_default_size("dropout", "small") == 0.2


def test_networks_are_a_mapping_that_knows_its_names() -> None:
    assert list(NETS) == registry.NETWORKS.list_names()
    assert len(NETS) == len(list(NETS))
    assert "esim" in NETS
    assert "transformer" not in NETS
    with pytest.raises(UnknownNameError, match=r"'esin'.*esim"):
        NETS["esin"]


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("no_such_module:NET", "no_such_module"),
        ("rightreasons.nets.esim:NO_SUCH", "NO_SUCH"),
    ],
)
def test_a_declaration_that_cant_be_imported_is_named(
    target: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(registry.NETWORKS, "broken", target)
    with pytest.raises(InputError, match=rf"'broken'.*{reason}"):
        summarize_network("broken")
