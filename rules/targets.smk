"""What can be asked for by name: one target per artefact, and the collections.

`headline` is the default: the central figures and tables, their claims, their audit and the report's pages. `all` is
the same of everything. `make report` puts what either has made into one HTML file.
"""


rule headline:
    """The papers' central figures and tables with their claims, their audit and the report's pages."""
    default_target: True
    input:
        [path for name in HEADLINE for path in PLAN.renderings[name].outputs.values()],
        [f"{RESULTS}/claims/headline.csv"] if "headline" in PLAN.ledgers else [],
        f"{RESULTS}/audit/headline.csv",
        [f"{RESULTS}/report/{page}.html" for page in headline_pages(PLAN)],


rule all:
    """Every figure and table, all claims, their audit and the report's pages."""
    input:
        [path for name in IN_ALL for path in PLAN.renderings[name].outputs.values()],
        [f"{RESULTS}/claims/all.csv"] if "all" in PLAN.ledgers else [],
        f"{RESULTS}/audit/figures.csv",
        [f"{RESULTS}/report/{page}.html" for page in all_pages(PLAN)],


rule all_sweeps:
    """Every figure in which one setting, policy or training pool is varied at a time."""
    input:
        [
            path
            for name in ARTEFACTS
            if ARTEFACTS[name].sweep
            for path in PLAN.renderings[name].outputs.values()
        ],


rule claims:
    """The ledger of all published claims and our verdicts."""
    input:
        f"{RESULTS}/claims/all.csv",


rule headline_claims:
    """The ledger of those claims that the central figures and tables test."""
    input:
        f"{RESULTS}/claims/headline.csv",


rule audit:
    """One row per figure and table: checkpoints, configurations, data, commit, state."""
    input:
        f"{RESULTS}/audit/figures.csv",


for name in ARTEFACTS:

    rule:
        name:
            name
        input:
            list(PLAN.renderings[name].outputs.values()),
            [f"{RESULTS}/report/{name}.html"] if ARTEFACTS[name].kind == "table" else [],
