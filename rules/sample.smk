"""Samples of a policy or of a run's last checkpoint, and the scores of their steps.

Input: questions and a manifest; for scores the samples and a process reward model.
Output: rollouts.parquet; step_scores.parquet and a report (step AUC where the truth is known).
"""


rule sample:
    """Sample {wildcards.owner} on {wildcards.sid}; resumes by question after a stop."""
    input:
        questions=lambda wildcards: PLAN.samples[
            wildcards.owner, wildcards.sid
        ].inputs["questions"],
        policy=lambda wildcards: PLAN.samples[wildcards.owner, wildcards.sid].inputs[
            "policy"
        ],
        code=code("sample", PLAN, ROOT),
    output:
        rollouts=f"{RESULTS}/samples/{{owner}}/{{sid}}/rollouts.parquet",
        record=f"{RESULTS}/samples/{{owner}}/{{sid}}/rollouts.parquet.prov.json",
    log:
        f"{RESULTS}/logs/sample/{{owner}}.{{sid}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/sample/{{owner}}.{{sid}}.jsonl"
    conda:
        ENVIRONMENT
    threads: RESOURCES.sample.threads
    resources:
        mem_mb=RESOURCES.sample.mem_mb,
        runtime=RESOURCES.sample.runtime,
        gpu=RESOURCES.sample.gpu,
    params:
        **settings_of(lambda wildcards: PLAN.samples[wildcards.owner, wildcards.sid]),
        state=f"{RESULTS}/state/samples/{{owner}}/{{sid}}",
    message:
        "Sampling {wildcards.owner} on {wildcards.sid} ({threads} threads, {resources.gpu} GPU, {resources.mem_mb} MB, {resources.runtime} min)"
    shell:
        r"""
        exec &> >(tee {log:q})
        export OMP_NUM_THREADS={threads} MKL_NUM_THREADS={threads} HF_HUB_OFFLINE=1
        python -m workflow_scripts.sample --config {params.config:q} --questions {input.questions:q} \
            --policy {input.policy:q} --out {output.rollouts:q} --state {params.state:q}
        """


rule score_steps:
    """Score each step of {wildcards.owner}'s samples with process reward model {wildcards.prm_id}."""
    input:
        questions=lambda wildcards: PLAN.step_scores[
            (wildcards.owner, wildcards.sid), wildcards.prm_id
        ].inputs["questions"],
        samples=f"{RESULTS}/samples/{{owner}}/{{sid}}/rollouts.parquet",
        prm=f"{RESULTS}/models/{{prm_id}}/manifest.json",
        code=code("score_steps", PLAN, ROOT),
    output:
        step_scores=f"{RESULTS}/step_scores/{{owner}}/{{sid}}.{{prm_id}}/step_scores.parquet",
        report=f"{RESULTS}/step_scores/{{owner}}/{{sid}}.{{prm_id}}/report.json",
        record=f"{RESULTS}/step_scores/{{owner}}/{{sid}}.{{prm_id}}/step_scores.parquet.prov.json",
    log:
        f"{RESULTS}/logs/score_steps/{{owner}}.{{sid}}.{{prm_id}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/score_steps/{{owner}}.{{sid}}.{{prm_id}}.jsonl"
    conda:
        ENVIRONMENT
    threads: RESOURCES.score_steps.threads
    resources:
        mem_mb=RESOURCES.score_steps.mem_mb,
        runtime=RESOURCES.score_steps.runtime,
        gpu=RESOURCES.score_steps.gpu,
    params:
        **settings_of(
            lambda wildcards: PLAN.step_scores[
                (wildcards.owner, wildcards.sid), wildcards.prm_id
            ]
        ),
    message:
        "Scoring the steps of {wildcards.owner} on {wildcards.sid} ({threads} threads, {resources.gpu} GPU, {resources.mem_mb} MB, {resources.runtime} min)"
    shell:
        r"""
        exec &> >(tee {log:q})
        export OMP_NUM_THREADS={threads} MKL_NUM_THREADS={threads} HF_HUB_OFFLINE=1
        python -m workflow_scripts.score_steps --config {params.config:q} --questions {input.questions:q} \
            --samples {input.samples:q} --prm {input.prm:q} --out {output.step_scores:q}
        """
