"""How often a principal may ask."""

from api.rates import KNOWN, Rates


def test_a_bucket_is_full_at_first_and_fills_again_at_its_rate() -> None:
    now = [0.0]
    rates = Rates[str](2, 3, lambda: now[0])
    assert [rates.take("a") for _ in range(4)] == [0, 0, 0, 1]
    now[0] = 0.5
    assert [rates.take("a") for _ in range(2)] == [0, 1]
    now[0] = 100
    assert [rates.take("a") for _ in range(4)] == [0, 0, 0, 1]


def test_principals_do_not_take_from_each_other() -> None:
    rates = Rates[str](1, 1, lambda: 0.0)
    assert [rates.take(who) for who in "aabb"] == [0, 1, 0, 1]


def test_the_wait_is_as_long_as_the_rate_says() -> None:
    rates = Rates[str](0.1, 1, lambda: 0.0)
    assert [rates.take("a") for _ in range(2)] == [0, 10]


def test_who_asked_least_recently_is_forgotten_first() -> None:
    rates = Rates[int](1, 1, lambda: 0.0)
    for who in range(KNOWN + 1):
        rates.take(who)
    assert (rates.take(KNOWN), rates.take(0)) == (1, 0)
