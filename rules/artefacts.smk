"""Figures, tables and the ledger of claims.

Input: an artefact's analysis table; for claims the evidence itself and the published numbers.
Output: a figure as pdf, png and the plotted csv; a table as csv and md; the ledger as csv, md and json.
"""


rule render_figure:
    """Draw {wildcards.figure} from its analysis table."""
    input:
        analysis=f"{RESULTS}/analysis/{{figure}}.csv",
        code=code("render", PLAN, ROOT),
    output:
        pdf=f"{FIGURES}/{{figure}}.pdf",
        png=report(
            f"{FIGURES}/{{figure}}.png",
            caption="../report/figure.rst",
            category="Figures",
            subcategory=lambda wildcards: wildcards.figure.split("_")[0].upper(),
            labels={"figure": "{figure}", "scale": SCALE.scale},
        ),
        csv=f"{FIGURES}/{{figure}}.csv",
        record=f"{FIGURES}/{{figure}}.pdf.prov.json",
    log:
        f"{RESULTS}/logs/render/{{figure}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/render/{{figure}}.jsonl"
    localrule: True
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        config=lambda wildcards: PLAN.renderings[wildcards.figure].json,
        folder=lambda wildcards: FIGURES,
        title=lambda wildcards: in_rst(ARTEFACTS[wildcards.figure].title),
        caption=lambda wildcards: in_rst(ARTEFACTS[wildcards.figure].caption),
    message:
        "Drawing {wildcards.figure}"
    shell:
        r"""
        exec &> >(tee {log:q})
        export OMP_NUM_THREADS={threads} MKL_NUM_THREADS={threads}
        python -m workflow_scripts.render --config {params.config:q} --analysis {input.analysis:q} \
            --out-dir {params.folder:q}
        """


rule render_table:
    """Print {wildcards.table} from its analysis table, the paper's numbers beside ours."""
    input:
        analysis=f"{RESULTS}/analysis/{{table}}.csv",
        numbers="config/paper_numbers.csv",
        code=code("render", PLAN, ROOT),
    output:
        csv=f"{RESULTS}/tables/{{table}}.csv",
        md=f"{RESULTS}/tables/{{table}}.md",
        record=f"{RESULTS}/tables/{{table}}.csv.prov.json",
    log:
        f"{RESULTS}/logs/render/{{table}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/render/{{table}}.jsonl"
    localrule: True
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        config=lambda wildcards: PLAN.renderings[wildcards.table].json,
        folder=lambda wildcards: f"{RESULTS}/tables",
    message:
        "Printing {wildcards.table}"
    shell:
        r"""
        exec &> >(tee {log:q})
        export OMP_NUM_THREADS={threads} MKL_NUM_THREADS={threads}
        python -m workflow_scripts.render --config {params.config:q} --analysis {input.analysis:q} \
            --out-dir {params.folder:q}
        """


rule check_claims:
    """Test the published claims of ledger {wildcards.ledger}: holds, does not hold, undecided, or not run."""
    input:
        evidence=lambda wildcards: list(PLAN.ledgers[wildcards.ledger].inputs.values()),
        numbers="config/paper_numbers.csv",
        code=code("check_claims", PLAN, ROOT),
    output:
        csv=f"{RESULTS}/claims/{{ledger}}.csv",
        md=f"{RESULTS}/claims/{{ledger}}.md",
        json=f"{RESULTS}/claims/{{ledger}}.json",
        record=f"{RESULTS}/claims/{{ledger}}.csv.prov.json",
    log:
        f"{RESULTS}/logs/check_claims/{{ledger}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/check_claims/{{ledger}}.jsonl"
    localrule: True
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        **claims_settings(PLAN),
    message:
        "Checking claims: {wildcards.ledger}"
    shell:
        r"""
        exec &> >(tee {log:q})
        export OMP_NUM_THREADS={threads} MKL_NUM_THREADS={threads}
        python -m workflow_scripts.check_claims --config {params.config:q} --out {output.csv:q}
        """
