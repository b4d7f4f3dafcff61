"""Question sets.

Input: nothing, a local file or a data set of the hub (config/questions.yaml).
Output: questions.parquet in one schema, and a card that says what is in it.
"""


rule prepare_questions:
    """Write question set {wildcards.qid} in the schema that every later step reads."""
    input:
        source=lambda wildcards: local_files(
            PLAN.questions[wildcards.qid].config.question_set.source
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
    message:
        "Preparing questions {wildcards.qid}"
    shell:
        r"""
        exec &> >(tee {log:q})
        export OMP_NUM_THREADS={threads} MKL_NUM_THREADS={threads}
        python -m workflow_scripts.prepare_questions --config {params.config:q} --out {output.questions:q}
        """
