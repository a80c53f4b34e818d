"""What tokens cost, and that an unknown is never 0."""

from pathlib import Path

import pytest

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
        ("gpt-4", None),
        ("nobody-knows", None),
    ],
)
def test_aliases_dates_and_prefixes_resolve(shipped: PriceTable, name: str, listed: str | None) -> None:
    assert shipped.find(name) == listed


def test_a_model_not_listed_is_priced_by_the_package_and_says_so(shipped: PriceTable) -> None:
    cost = shipped.cost("gpt-4", Usage(input_tokens=1_000_000, output_tokens=0))
    assert cost.usd == pytest.approx(30)
    assert cost.note == "price by genai-prices"


def test_unknown_stays_unknown(shipped: PriceTable) -> None:
    assert shipped.cost("nobody-knows", MILLION).usd is None
    assert "nobody-knows" in shipped.cost("nobody-knows", MILLION).note
    assert shipped.cost(None, MILLION).usd is None
    assert shipped.cost("gpt-4o", Usage()).usd is None
    assert shipped.cost("gpt-4o", Usage(input_tokens=0, output_tokens=0)).usd == 0.0
    half = shipped.cost("gpt-4o", Usage(input_tokens=1_000_000))
    assert (half.usd, half.note) == (2.5, "at least: output tokens unknown")


def test_a_users_list_is_laid_over(shipped: PriceTable) -> None:
    text = 'as_of = 2027-01-01\n[models."gpt-4o"]\ninput = 1\noutput = 2\n[models.mine]\ninput = 0\noutput = 0\n'
    table = parse_prices(text, Path("pricing.toml"), base=shipped)
    assert table.cost("gpt-4o", Usage(input_tokens=1_000_000, output_tokens=0)).usd == 1.0
    assert table.cost("mine", MILLION).usd == 0.0
    assert table.cost("claude-opus-4-7", MILLION).usd == shipped.cost("claude-opus-4-7", MILLION).usd
    assert table.as_of.year == 2027


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
    ],
)
def test_a_bad_list_is_refused_with_the_key(text: str, words: str) -> None:
    with pytest.raises(FileError, match="prices.toml") as caught:
        parse_prices(text, Path("prices.toml"))
    assert words in caught.value.message
