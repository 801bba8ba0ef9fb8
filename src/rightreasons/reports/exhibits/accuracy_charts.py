"""Charts of accuracies: a heat map of sets against models, and points with intervals for the parts of a set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHARE = {"type": "quantitative", "scale": {"domain": [0, 1]}, "title": "accuracy"}


def heat_map(names: Mapping[str, str]) -> dict[str, Any]:
    """Draw a field for each set and model, the colour its accuracy; the column of each model is given."""
    sets = {"field": "set", "type": "nominal", "sort": None, "title": None}
    order = {"domain": list(names)}
    places = {
        column: {"x": {"datum": name, "type": "nominal", "scale": order, "title": None}, "y": sets}
        for name, column in names.items()
    }
    fields = [
        {
            "mark": {"type": "rect", "tooltip": True},
            "encoding": {**place, "color": {"field": column, **_SHARE}},
        }
        for column, place in places.items()
    ]
    figures = [
        {
            "mark": {"type": "text"},
            "encoding": {
                **place,
                "text": {"field": f"{column}_shown", "type": "quantitative", "format": ".2f"},
            },
        }
        for column, place in places.items()
    ]
    return {"layer": fields + figures}


def points(names: Mapping[str, str]) -> dict[str, Any]:
    """Draw a point with its interval, or with its range over runs, for each part of the set and each model."""
    layers, order = [], {"domain": list(names)}
    for name, column in names.items():
        whose = {
            "y": {"field": "row", "type": "nominal", "sort": None, "title": None},
            "yOffset": {"datum": name, "type": "nominal", "scale": order},
            "color": {"datum": name, "type": "nominal", "scale": order, "title": "model"},
        }
        ends = {"x": {"field": f"{column}_low", **_SHARE}, "x2": {"field": f"{column}_high"}}
        layers += [
            {"mark": {"type": "rule"}, "encoding": whose | ends},
            {
                "mark": {"type": "point", "filled": True, "tooltip": True},
                "encoding": whose | {"x": {"field": column, **_SHARE}},
            },
        ]
    return {"layer": layers}
