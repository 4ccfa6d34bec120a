"""Figures with their units."""

from __future__ import annotations

import pytest

from cairn.answering.numbers import Quantity, disagreeing, quantities


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Boil it for one minute.", [("1", "min")]),
        ("Boil for 5–10 minutes.", [("5", "min"), ("10", "min")]),
        ("Wait 10 to 12 hours.", [("10", "h"), ("12", "h")]),
        ("above 2,000 m (6,562 ft)", [("2000", "m"), ("6562", "ft")]),
        ("1 000 mL or 1.5 L", [("1000", "ml"), ("1.5", "l")]),
        ("1,5 litros", [("1.5", "l")]),
        ("0.125 L", [("0.125", "l")]),
        ("1/2 teaspoon, 2½ cups", [("0.5", "tsp"), ("2.5", "cup")]),
        ("at 37.0 °C", [("37", "°c")]),
        ("121.5 MHz", [("121.5", "mhz")]),
        ("加热 3 分钟", [("3", "min")]),
        ("٣ دقائق", [("3", "min")]),
        ("2. Wait 24 hours", [("24", "h")]),
        ("Step 3: wait 24 hours", [("24", "h")]),
        ("Call 112.", [("112", "")]),
        ("no one is here", []),
        ("30 compressions to 2 breaths", [("30", "compression"), ("2", "breath")]),
        ("1.000.000 birds, 1.500,5 km", [("1000000", ""), ("1500.5", "km")]),
        ("", []),
    ],
)
def test_quantities(text: str, expected: list[tuple[str, str]]) -> None:
    assert quantities(text) == [Quantity(*pair) for pair in expected]


@pytest.mark.parametrize(
    ("sentence", "source", "wrong"),
    [
        ("boil 1 minute", "Boil it for one minute.", 0),
        ("boil 10 minutes", "Boil it for one minute.", 1),
        ("boil 1 hour", "Boil it for one minute.", 1),
        ("use 1000 ml", "use 1,000 mL", 0),
        ("use 5", "5 drops", 0),
        ("5 drops", "use 5", 0),
        ("5 drops", "5 litres and 5 drops", 0),
    ],
)
def test_numbers_and_units_must_agree(sentence: str, source: str, wrong: int) -> None:
    assert len(disagreeing(quantities(sentence), quantities(source))) == wrong
