"""What can be asked for by name: one target per artefact, and the collections.

`headline` is the default: the central figures, their claims, the audit and the report's pages.
"""


rule headline:
    """The papers' central figures with their claims, audit and report pages."""
    default_target: True
    input:
        [path for name in HEADLINE for path in PLAN.renderings[name].outputs.values()],
        [f"{RESULTS}/claims/ledger.csv"] if PLAN.claims else [],
        f"{RESULTS}/audit/figures.csv",
        [f"{RESULTS}/report/{page}.html" for page in pages(HEADLINE, PLAN)],


rule all:
    """Every figure and table, all claims, the audit and the report pages."""
    input:
        [path for name in ARTEFACTS for path in PLAN.renderings[name].outputs.values()],
        [f"{RESULTS}/claims/ledger.csv"] if PLAN.claims else [],
        f"{RESULTS}/audit/figures.csv",
        [f"{RESULTS}/report/{page}.html" for page in all_pages(PLAN)],


rule claims:
    """The ledger of published claims and our verdicts."""
    input:
        f"{RESULTS}/claims/ledger.csv",


rule audit:
    """One row per headline figure and table: checkpoints, configurations, data, commit, state."""
    input:
        f"{RESULTS}/audit/figures.csv",


rule report:
    """The pages of the report; `make report` puts them with the figures into one HTML file."""
    input:
        [f"{RESULTS}/report/{page}.html" for page in pages(HEADLINE, PLAN)],


for name in ARTEFACTS:

    rule:
        name:
            name
        input:
            list(PLAN.renderings[name].outputs.values()),
            [f"{RESULTS}/report/{name}.html"] if ARTEFACTS[name].kind == "table" else [],
