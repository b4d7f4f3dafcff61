"""The claims ledger as csv, markdown and JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from workflow_scripts.analysis.claims import CheckedClaim
from workflow_scripts.analysis.quantities import Estimate
from workflow_scripts.analysis.verdicts import SYMBOLS
from workflow_scripts.artefacts.literal import in_markdown
from workflow_scripts.artefacts.paper_numbers import PublishedNumber, published_number
from workflow_scripts.settings.claims import MINUS, quantity_text


def ledger_rows(
    checked: Sequence[CheckedClaim], numbers: Sequence[PublishedNumber]
) -> list[dict[str, object]]:
    """Return one row per claim, part and cell, or cells that a part goes across; None where there is no value."""
    rows: list[dict[str, object]] = []
    for claim in checked:
        for part in claim.parts:
            found, published = part.estimate, published_number(part, numbers)
            rows.append(
                {
                    "claim": claim.id,
                    "paper": claim.claim.paper,
                    "place": claim.claim.place,
                    "statement": " ".join(claim.claim.statement.split()),
                    "claim_verdict": claim.verdict,
                    "part": part.part.says,
                    "quantity": quantity_text(part.part.quantity),
                    "across": part.part.across,
                    "policy_role": part.policy_role,
                    "questions_role": part.questions_role,
                    **_numbers(found),
                    "seed_values": {str(s): v for s, v in found.by_seed.items()} if found else {},
                    "n": found.n if found else None,
                    "k": found.k if found else None,
                    "n_seeds": len(found.by_seed) if found else None,
                    "test": part.part.test,
                    "threshold": part.part.threshold,
                    "decides": part.part.decides,
                    "verdict": part.verdict,
                    "reason": part.reason,
                    "published": published.value if published else None,
                    "published_place": published.place if published else None,
                }
            )
    return rows


def _numbers(found: Estimate | None) -> dict[str, float | None]:
    """What JSON can hold: NaN (no interval, no spread) becomes None."""
    if found is None:
        return dict.fromkeys(("value", "low", "high", "sd"))
    values = {"value": found.value, "low": found.low, "high": found.high, "sd": found.sd}
    return {name: None if math.isnan(value) else float(value) for name, value in values.items()}


def ledger_table(rows: Sequence[dict[str, object]]) -> pd.DataFrame:
    """Return the rows as a table for csv; each seed's value as `seed=value` joined by semicolons."""
    flat = []
    for row in rows:
        values = row["seed_values"]
        assert isinstance(values, dict)
        flat.append(
            {**row, "seed_values": ";".join(f"{seed}={value:.10g}" for seed, value in values.items())}
        )
    return pd.DataFrame(flat).astype({"n": "Int64", "k": "Int64", "n_seeds": "Int64"})


def ledger_markdown(
    checked: Sequence[CheckedClaim], rows: Sequence[dict[str, object]], scale: str, confidence: float
) -> str:
    """Return the ledger for people: the verdicts, then each claim's numbers."""
    counts = pd.Series([claim.verdict for claim in checked], dtype=object).value_counts()
    lines = [
        f"# Claims at scale `{scale}`",
        "",
        ", ".join(f"{verdict}: {count}" for verdict, count in counts.items()) or "no claim",
        "",
        "A verdict is about this scale's policies and questions. At a miniature scale it says whether the",
        "published pattern appears in an invented world, and nothing about the published models or data.",
        "Thresholds were fixed before any run, in `config/claims.yaml`.",
        "",
        "| claim | paper, place | statement | verdict |",
        "| --- | --- | --- | --- |",
    ]
    for claim in checked:
        place, statement = in_markdown(claim.claim.place), in_markdown(claim.claim.statement)
        lines.append(f"| {claim.id} | {claim.claim.paper}, {place} | {statement} | **{claim.verdict}** |")
    lines += [
        "",
        f"Each part: value [{100 * confidence:g} % interval], standard deviation between seeds, n questions,",
        "k samples per question. The interval is a bootstrap over questions of the mean over seeds; a verdict also",
        "asks each seed to lie on the same side. For metrics of training, n counts the questions that the window's",
        "steps visit in any seed, k the rollouts of each. A mean over question sets counts each set the same; a count",
        "says in how many cells (policy, question set) the quantity is above 0. Their n is that of all cells together.",
        "A verdict in brackets decides nothing.",
        "",
        "| claim | part | ours | seeds | n | k | test | paper | verdict |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        lines.append(
            f"| {row['claim']} | {in_markdown(str(row['part']))} ({_place(row)}) | {_interval(row)} | {_seeds(row)} "
            f"| {_plain(row['n'])} | {_plain(row['k'])} | {_test(row)} | {_paper(row)} "
            f"| {_verdict(row)} |"
        )
    return "\n".join(lines) + "\n"


def _place(row: dict[str, object]) -> str:
    """Where a part was tested; across cells also how they are joined."""
    joined = "" if row["across"] == "each" else f"{row['across']} over "
    return f"{joined}{row['questions_role']}; {row['policy_role']}"


def _decimal(value: object, row: dict[str, object]) -> str:
    """Three decimals, a count as it is; with a sign where the quantity is a difference."""
    if value is None:
        return "–"
    if row["across"] == "count":
        return f"{value:g}"
    quantity = str(row["quantity"])
    is_difference = quantity.count("(") > 1 and " / " not in quantity
    return (f"{value:+.3f}" if is_difference else f"{value:.3f}").replace("-", MINUS)


def _plain(value: object) -> str:
    return "–" if value is None else str(value)


def _interval(row: dict[str, object]) -> str:
    if row["value"] is None:
        return "–"
    value, low, high = (_decimal(row[name], row) for name in ("value", "low", "high"))
    return f"{value} [{low}, {high}]"


def _seeds(row: dict[str, object]) -> str:
    if row["n_seeds"] is None:
        return "–"
    spread = "" if row["sd"] is None else f", sd {row['sd']:.3f}"
    return f"{row['n_seeds']}{spread}"


def _test(row: dict[str, object]) -> str:
    return SYMBOLS[str(row["test"])].format(f"{row['threshold']:g}")


def _paper(row: dict[str, object]) -> str:
    if row["published"] is None:
        return "–"
    return f"{_decimal(row['published'], row)} ({in_markdown(str(row['published_place']))})"


def _verdict(row: dict[str, object]) -> str:
    text = f"{row['verdict']}{_because(row)}"
    return text if row["decides"] else f"({text})"


def _because(row: dict[str, object]) -> str:
    return f": {in_markdown(str(row['reason']))}" if row["reason"] else ""
