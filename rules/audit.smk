"""The audits, of all figures and tables or of the headline's, and the pages of the report.

Input: finished figures, tables and the ledger.
Output: one row per figure and table with checkpoints, configurations, data, commit and state; pages in HTML.
"""


rule audit_artefacts:
    """Walk from each figure and table back to its checkpoints, configurations, data and commit."""
    input:
        # The command lists all that lies there: `figures` waits for everything, `headline` for the central ones.
        artefacts=lambda wildcards: [
            path
            for name in (HEADLINE if wildcards.audit == "headline" else IN_ALL)
            for path in PLAN.renderings[name].outputs.values()
        ],
        code=code("audit", PLAN, ROOT),
    output:
        table=f"{RESULTS}/audit/{{audit}}.csv",
        record=f"{RESULTS}/audit/{{audit}}.csv.prov.json",
    log:
        f"{RESULTS}/logs/audit_artefacts/{{audit}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/audit_artefacts/{{audit}}.jsonl"
    wildcard_constraints:
        audit="figures|headline",
    localrule: True
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        results=lambda wildcards: RESULTS,
        figures=lambda wildcards: FIGURES,
    message:
        "Auditing figures and tables: {wildcards.audit}"
    shell:
        r"""
        exec &> >(tee {log:q})
        export OMP_NUM_THREADS={threads} MKL_NUM_THREADS={threads}
        python -m workflow_scripts.audit --all --results {params.results:q} --figures {params.figures:q} \
            --out {output.table:q}
        """


rule report_page:
    """Write the report's page {wildcards.page}."""
    input:
        source=lambda wildcards: page_source(wildcards.page, PLAN),
        code=code("report_page", PLAN, ROOT),
    output:
        page=report(
            f"{RESULTS}/report/{{page}}.html",
            caption="../report/page.rst",
            category=lambda wildcards: {
                "claims": "Claims",
                "headline_claims": "Claims",
                "overlap": "Question sets",
                "audit": "Audit",
                "headline_audit": "Audit",
                "configuration": "Configuration",
                "software": "Software",
            }.get(wildcards.page, "Tables"),
            subcategory=lambda wildcards: wildcards.page.split("_")[0].upper(),
            labels={"page": "{page}", "scale": SCALE.scale},
        ),
        record=f"{RESULTS}/report/{{page}}.html.prov.json",
    log:
        f"{RESULTS}/logs/report_page/{{page}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/report_page/{{page}}.jsonl"
    localrule: True
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        config=lambda wildcards: page_config(wildcards.page, PLAN),
        source=lambda wildcards: option(
            "--source", next(iter(page_source(wildcards.page, PLAN)), None)
        ),
    message:
        "Writing the report's page {wildcards.page}"
    shell:
        r"""
        exec &> >(tee {log:q})
        export OMP_NUM_THREADS={threads} MKL_NUM_THREADS={threads}
        python -m workflow_scripts.report_page --config {params.config:q} {params.source:q} \
            --out {output.page:q}
        """
