"""Question sets.

Input: nothing, local files, a data set of the hub or another question set (config/questions.yaml).
Output: questions.parquet in one schema, and a card that says what is in it; what the sets share.
"""


rule pin_revision:
    """Pin the commit of {wildcards.pin}: that of config/revisions.lock.yaml, else the hub's newest."""
    output:
        revision=f"{RESULTS}/revisions/{{pin}}.json",
        record=f"{RESULTS}/revisions/{{pin}}.json.prov.json",
    log:
        f"{RESULTS}/logs/pin_revision/{{pin}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/pin_revision/{{pin}}.jsonl"
    localrule: True
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        kind=lambda wildcards: PLAN.revisions[wildcards.pin].config.kind,
        id=lambda wildcards: PLAN.revisions[wildcards.pin].config.id,
    message:
        "Pinning {wildcards.pin}"
    shell:
        r"""
        exec &> >(tee {log:q})
        export OMP_NUM_THREADS={threads} MKL_NUM_THREADS={threads}
        python -m workflow_scripts.pin_revisions --kind {params.kind:q} --id {params.id:q} --out {output.revision:q}
        """


rule prepare_questions:
    """Write question set {wildcards.qid} in the schema that every later step reads."""
    input:
        source=lambda wildcards: local_files(
            PLAN.questions[wildcards.qid].config.question_set.source
        ),
        revision=lambda wildcards: PLAN.questions[wildcards.qid].inputs.get(
            "revision", []
        ),
        base=lambda wildcards: PLAN.questions[wildcards.qid].inputs.get("base", []),
        base_samples=lambda wildcards: PLAN.questions[wildcards.qid].inputs.get(
            "base_samples", []
        ),
        code=code("prepare_questions", PLAN, ROOT),
    output:
        questions=f"{RESULTS}/questions/{{qid}}/questions.parquet",
        card=f"{RESULTS}/questions/{{qid}}/card.json",
        record=f"{RESULTS}/questions/{{qid}}/questions.parquet.prov.json",
    log:
        f"{RESULTS}/logs/prepare_questions/{{qid}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/prepare_questions/{{qid}}.jsonl"
    localrule: True
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        **settings_of(lambda wildcards: PLAN.questions[wildcards.qid]),
        revision=lambda wildcards: option(
            "--revision", PLAN.questions[wildcards.qid].inputs.get("revision")
        ),
        base=lambda wildcards: option(
            "--base", PLAN.questions[wildcards.qid].inputs.get("base")
        ),
        base_samples=lambda wildcards: option(
            "--base-samples", PLAN.questions[wildcards.qid].inputs.get("base_samples")
        ),
    message:
        "Preparing questions {wildcards.qid}"
    shell:
        r"""
        exec &> >(tee {log:q})
        export OMP_NUM_THREADS={threads} MKL_NUM_THREADS={threads}
        python -m workflow_scripts.prepare_questions --config {params.config:q} {params.revision:q} {params.base:q} \
            {params.base_samples:q} --out {output.questions:q}
        """


rule check_overlap:
    """Count the questions that the question sets share, two by two."""
    input:
        questions=list(PLAN.overlap.inputs.values()) if PLAN.overlap else [],
        code=code("check_overlap", PLAN, ROOT),
    output:
        csv=f"{RESULTS}/questions/overlap.csv",
        md=f"{RESULTS}/questions/overlap.md",
        record=f"{RESULTS}/questions/overlap.csv.prov.json",
    log:
        f"{RESULTS}/logs/check_overlap/overlap.log",
    benchmark:
        f"{RESULTS}/benchmarks/check_overlap/overlap.jsonl"
    localrule: True
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        config=PLAN.overlap.json if PLAN.overlap else "{}",
    message:
        "Comparing question sets"
    shell:
        r"""
        exec &> >(tee {log:q})
        export OMP_NUM_THREADS={threads} MKL_NUM_THREADS={threads}
        python -m workflow_scripts.check_overlap --config {params.config:q} --questions {input.questions:q} \
            --out {output.csv:q}
        """
