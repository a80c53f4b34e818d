"""What tokens cost, and that an unknown is never 0."""

from datetime import date
from pathlib import Path

import pytest

from agent_bench.costs.package_prices import find_in_package
from agent_bench.costs.pricing import PriceTable, parse_prices
from agent_bench.errors import FileError
from agent_bench.model import Usage

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def shipped() -> PriceTable:
    path = ROOT / "pricing.toml"
    return parse_prices(path.read_text(), path)


MILLION = Usage(
    input_tokens=1_000_000,
    output_tokens=1_000_000,
    cache_read_tokens=1_000_000,
    cache_write_tokens=1_000_000,
    source="reported",
)


@pytest.mark.parametrize(
    ("model", "usd"),
    [
        ("claude-opus-4-7", 5 + 25 + 0.5 + 6.25),
        ("claude-sonnet-4-6", 3 + 15 + 0.3 + 3.75),
        ("claude-haiku-4-5-20251001", 1 + 5 + 0.1 + 1.25),
        ("gpt-4o", 2.5 + 10 + 1.25 + 2.5),
        ("gpt-4o-mini", 0.15 + 0.6 + 0.075 + 0.15),
    ],
)
def test_list_prices(shipped: PriceTable, model: str, usd: float) -> None:
    assert shipped.cost(model, MILLION).usd == pytest.approx(usd)


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("anthropic/claude-sonnet-4-6", "claude-sonnet-4-6"),
        ("claude-sonnet-4-6-20260217", "claude-sonnet-4-6"),
        ("us.anthropic.claude-sonnet-4-6-20260217-v1:0", "claude-sonnet-4-6"),
        ("openai/gpt-4o-2024-11-20", "gpt-4o"),
        ("gpt-5.4-mini", "gpt-5.4-mini"),
        ("gemini-3-pro", "gemini-3-pro-preview"),
        ("GPT-4o", "gpt-4o"),
        ("claude-sonnet-4-6-20260101", "claude-sonnet-4-6"),
        ("openrouter/anthropic/claude-sonnet-4-6", "claude-sonnet-4-6"),
        ("claude-opus-4-6[1m]", "claude-opus-4-6"),
        ("claude-haiku-4-5@20251001", "claude-haiku-4-5"),
        ("", None),
        ("gpt-4", None),
        ("nobody-knows", None),
    ],
)
def test_aliases_dates_and_prefixes_resolve(shipped: PriceTable, name: str, listed: str | None) -> None:
    assert shipped.find(name) == listed


def test_a_model_not_listed_is_priced_by_the_package_and_says_so(shipped: PriceTable) -> None:
    cost = shipped.cost("gpt-4", Usage(input_tokens=1_000_000, output_tokens=0))
    assert cost.usd == pytest.approx(30)
    assert (cost.note, cost.priced_as) == ("price by genai-prices", "gpt-4")


def test_a_name_that_only_the_package_knows_gets_the_price_of_our_list(shipped: PriceTable) -> None:
    own = parse_prices(
        'as_of = 2026-12-01\n[models."claude-sonnet-4-6"]\ninput = 7\noutput = 7', Path("p"), base=shipped
    )
    cost = own.cost("claude-sonnet-4.6", Usage(input_tokens=1_000_000, output_tokens=0))
    assert (cost.usd, cost.priced_as) == (7.0, "claude-sonnet-4-6")


def test_many_short_calls_are_not_priced_as_one_long_one() -> None:
    empty = parse_prices("as_of = 2026-12-01", Path("p"))
    # Each call may have been short: the surcharge above 200,000 tokens is for a single call.
    cost = empty.cost("gemini-2.5-pro", Usage(input_tokens=1_000_000, output_tokens=0))
    assert cost.usd == pytest.approx(1.25)


@pytest.mark.parametrize("model", ["github-copilot/gpt-3.5-turbo-0000", "nobody-knows", "nobody/knows-this"])
def test_a_model_without_a_price_is_unknown_not_free(shipped: PriceTable, model: str) -> None:
    cost = shipped.cost(model, MILLION)
    assert (cost.usd, cost.priced_as) == (None, None)
    assert model in cost.note


def test_an_offer_that_the_package_lists_without_prices_is_unknown() -> None:
    assert find_in_package("mistral/devstral-small:free") is None
    assert find_in_package("openai/gpt-4") is not None


@pytest.mark.parametrize(
    ("usage", "usd", "note"),
    [
        (Usage(), None, "tokens unknown"),
        (Usage(cache_read_tokens=5), None, "tokens unknown"),
        (Usage(input_tokens=0, output_tokens=0, cache_read_tokens=0, cache_write_tokens=0), 0.0, ""),
        (Usage(input_tokens=1_000_000, cache_read_tokens=0), 2.5, "at least: output tokens unknown"),
        (Usage(input_tokens=0, cache_read_tokens=0), None, "output tokens unknown"),
        (Usage(input_tokens=1_000_000, output_tokens=0), 2.5, "cache read tokens unknown, not priced"),
    ],
)
def test_an_unknown_count_is_never_0(shipped: PriceTable, usage: Usage, usd: float | None, note: str) -> None:
    cost = shipped.cost("gpt-4o", usage)
    assert (cost.usd, cost.note) == (usd, note)


def test_unknown_cache_counts_are_told_where_they_have_a_price(shipped: PriceTable) -> None:
    usage = Usage(input_tokens=1_000_000, output_tokens=0)
    assert shipped.cost("claude-opus-4-7", usage).note == "cache read and cache write tokens unknown, not priced"
    assert shipped.cost(None, usage).note == "model unknown"


def test_a_users_list_is_laid_over(shipped: PriceTable) -> None:
    text = 'as_of = 2027-01-01\n[models."gpt-4o"]\ninput = 1\noutput = 2\n[models.mine]\ninput = 0\noutput = 0\n'
    table = parse_prices(text, Path("mine.toml"), base=shipped)
    assert table.cost("gpt-4o", Usage(input_tokens=1_000_000, output_tokens=0)).usd == 1.0
    assert table.cost("mine", MILLION).usd == 0.0
    assert table.cost("claude-opus-4-7", MILLION).usd == shipped.cost("claude-opus-4-7", MILLION).usd
    # The shipped prices are no newer for being laid under a newer list.
    assert table.as_of == shipped.as_of
    assert table.prices["mine"].as_of == date(2027, 1, 1)
    assert table.source.startswith("mine.toml; ")


def test_a_users_alias_takes_a_name_from_the_shipped_list(shipped: PriceTable) -> None:
    text = 'as_of = 2026-12-02\n[models.deal]\ninput = 1\noutput = 1\naliases = ["gpt-4o", "gemini-3-pro"]\n'
    table = parse_prices(text, Path("mine.toml"), base=shipped)
    assert table.find("openai/gpt-4o") == "deal"
    assert table.find("gemini-3-pro") == "deal"
    assert table.find("gemini-3-pro-preview") == "gemini-3-pro-preview"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("as_of = ", "not readable as TOML"),
        ("", "as_of: found None, expected a date"),
        ('as_of = 2026-01-01\n[models.x]\ninput = "1"\noutput = 2', "models.x.input: found '1'"),
        ("as_of = 2026-01-01\n[models.x]\ninput = 1", "models.x: missing: output"),
        ("as_of = 2026-01-01\n[models.x]\ninput = 1\noutput = nan", "models.x.output: found nan"),
        ("as_of = 2026-01-01\n[models.x]\ninput = 1\noutput = 1\ncached = 1", "models.x.cached: unknown key"),
        ("as_of = 2026-01-01\nmodel = 1", "model: unknown key"),
        ("as_of = 2026-01-01T00:00:00", "as_of: found datetime"),
        ("as_of = 2026-01-01\nsource = 1", "source: found 1, expected a text"),
        ("as_of = 2026-01-01\nmodels = 1", "models: expected a table"),
        ("as_of = 2026-01-01\n[models]\nx = 1", "models.x: found 1, expected a table"),
        ("as_of = 2026-01-01\n[models.x]\ninput = -1\noutput = 1", "models.x.input: found -1"),
        ("as_of = 2026-01-01\n[models.x]\ninput = true\noutput = 1", "models.x.input: found True"),
        ("as_of = 2026-01-01\n[models.x]\ninput = 1\noutput = 1\naliases = 'y'", "models.x.aliases: found 'y'"),
        (
            "as_of = 2026-01-01\n[models.x]\ninput = 1\noutput = 1\n[models.y]\ninput = 1\noutput = 1\naliases = ['x']",
            "models.y.aliases: 'x' is a name of 'x' too",
        ),
    ],
)
def test_a_bad_list_is_refused_with_the_key(text: str, words: str) -> None:
    with pytest.raises(FileError, match="prices.toml") as caught:
        parse_prices(text, Path("prices.toml"))
    assert words in caught.value.message
