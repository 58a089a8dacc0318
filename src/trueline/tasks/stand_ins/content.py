"""What stand-ins say: the same for the same address, different for another."""

from __future__ import annotations

import datetime
import hashlib
import random
from functools import cache
from importlib import resources

_NAMES = ("Adams", "Baker", "Chen", "Diaz", "Evans", "Fischer", "Garcia", "Hughes", "Ivanov", "Jones", "Kim", "Lopez",
          "Meyer", "Novak", "Okafor", "Patel")  # fmt: skip


@cache
def _all_words() -> tuple[str, ...]:
    return tuple(resources.files("trueline.tasks.stand_ins").joinpath("words.txt").read_text("utf-8").split())


class Content:
    """Words, numbers and tables drawn with an address."""

    def __init__(self, seed: str) -> None:
        """Draw with this seed, such as an address."""
        self._rng = random.Random(hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest())

    def number(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`."""
        return self._rng.randint(low, high)

    def words(self, count: int) -> str:
        """Words in lower case."""
        return " ".join(self._rng.choices(_all_words(), k=count))

    def title(self) -> str:
        """A few words as a heading."""
        return self.words(self.number(2, 4)).title()

    def sentence(self) -> str:
        """One sentence."""
        return f"{self.words(self.number(7, 14)).capitalize()}."

    def paragraph(self) -> str:
        """A few sentences."""
        return " ".join(self.sentence() for _ in range(self.number(2, 4)))

    def person(self) -> str:
        """A surname."""
        return self._rng.choice(_NAMES)

    def colour(self) -> tuple[int, int, int]:
        """A colour that is neither black nor white."""
        red, green, blue = (self.number(40, 215) for _ in range(3))
        return red, green, blue

    def date(self) -> datetime.date:
        """A day of the years 2019 to 2023."""
        return datetime.date(2019, 1, 1) + datetime.timedelta(days=self.number(0, 1800))

    def table(self, rows: int) -> list[list[str | int | float | datetime.date]]:
        """A header and rows of names, words, whole numbers, amounts and days; some values occur more than once."""
        made: list[list[str | int | float | datetime.date]] = [
            ["Id", "Name", "Region", "Product", "Units", "Price", "Total", "Date"]
        ]
        for place in range(rows):
            units, price = self.number(1, 60), self.number(100, 9900) / 100
            made.append(
                [1000 + place, self.person(), self._rng.choice(("North", "South", "East", "West")),
                 self.words(1).title(), units, price, round(units * price, 2), self.date()]
            )  # fmt: skip
        return made
