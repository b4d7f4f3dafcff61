"""From samples to numbers, and from numbers to one tidy table per artefact.

Input: samples, with step scores where an artefact asks for selection by them.
Output: metrics.json and one row per question; the analysis table, from which alone an artefact is drawn.
"""


rule evaluate:
    """Evaluate {wildcards.owner} on {wildcards.evaluation}: avg@k, maj@k, pass@k, selection, diversity, intervals."""
    input:
        questions=lambda wildcards: PLAN.evaluations[
            wildcards.owner, wildcards.evaluation
        ].inputs["questions"],
        samples=lambda wildcards: PLAN.evaluations[
            wildcards.owner, wildcards.evaluation
        ].inputs["samples"],
        step_scores=lambda wildcards: PLAN.evaluations[
            wildcards.owner, wildcards.evaluation
        ].inputs.get("step_scores", []),
        code=code("evaluate", PLAN, ROOT),
    output:
        metrics=f"{RESULTS}/evaluations/{{owner}}/{{evaluation}}/metrics.json",
        per_question=f"{RESULTS}/evaluations/{{owner}}/{{evaluation}}/per_question.parquet",
        record=f"{RESULTS}/evaluations/{{owner}}/{{evaluation}}/metrics.json.prov.json",
    log:
        f"{RESULTS}/logs/evaluate/{{owner}}.{{evaluation}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/evaluate/{{owner}}.{{evaluation}}.jsonl"
    conda:
        ENVIRONMENT
    threads: RESOURCES.evaluate.threads
    resources:
        mem_mb=RESOURCES.evaluate.mem_mb,
        runtime=RESOURCES.evaluate.runtime,
        gpu=RESOURCES.evaluate.gpu,
    params:
        **settings_of(
            lambda wildcards: PLAN.evaluations[wildcards.owner, wildcards.evaluation]
        ),
        step_scores=lambda wildcards: option(
            "--step-scores",
            PLAN.evaluations[wildcards.owner, wildcards.evaluation].inputs.get(
                "step_scores"
            ),
        ),
    message:
        "Evaluating {wildcards.owner} on {wildcards.evaluation} ({threads} threads, {resources.gpu} GPU, {resources.mem_mb} MB, {resources.runtime} min)"
    shell:
        r"""
        exec &> >(tee {log:q})
        export OMP_NUM_THREADS={threads} MKL_NUM_THREADS={threads} HF_HUB_OFFLINE=1
        python -m workflow_scripts.evaluate --config {params.config:q} --questions {input.questions:q} \
            --samples {input.samples:q} {params.step_scores:q} --out {output.metrics:q}
        """


rule analyse:
    """Collect everything that {wildcards.artefact} shows into one tidy table."""
    input:
        evidence=lambda wildcards: list(
            PLAN.analyses[wildcards.artefact].inputs.values()
        ),
        code=code("analyse", PLAN, ROOT),
    output:
        table=f"{RESULTS}/analysis/{{artefact}}.csv",
        record=f"{RESULTS}/analysis/{{artefact}}.csv.prov.json",
    log:
        f"{RESULTS}/logs/analyse/{{artefact}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/analyse/{{artefact}}.jsonl"
    conda:
        ENVIRONMENT
    threads: RESOURCES.analyse.threads
    resources:
        mem_mb=RESOURCES.analyse.mem_mb,
        runtime=RESOURCES.analyse.runtime,
        gpu=RESOURCES.analyse.gpu,
    params:
        **settings_of(lambda wildcards: PLAN.analyses[wildcards.artefact]),
    message:
        "Analysing {wildcards.artefact} ({threads} threads, {resources.gpu} GPU, {resources.mem_mb} MB, {resources.runtime} min)"
    shell:
        r"""
        exec &> >(tee {log:q})
        export OMP_NUM_THREADS={threads} MKL_NUM_THREADS={threads} HF_HUB_OFFLINE=1
        python -m workflow_scripts.analyse --config {params.config:q} --out {output.table:q}
        """
