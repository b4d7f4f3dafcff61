"""Test-time reinforcement learning.

Input: questions, a policy, and a process reward model where the reward needs one.
Output: manifest.json (written last), metrics per step, the evaluation curve, the rollouts that were trained on.
The final weights lie in `final/`. Resume points lie in the state folder, which is no output: Snakemake empties
outputs before a job and after a failure, and a job that was stopped resumes from there.
"""


rule train:
    """Adapt {wildcards.run_id} with GRPO: sample, reward, normalise within the group, update."""
    input:
        questions=lambda wildcards: PLAN.runs[wildcards.run_id].inputs["questions"],
        policy=lambda wildcards: PLAN.runs[wildcards.run_id].inputs["policy"],
        prm=lambda wildcards: PLAN.runs[wildcards.run_id].inputs.get("prm", []),
        validation=lambda wildcards: validation_files(PLAN.runs[wildcards.run_id]),
        code=code("train", PLAN, ROOT),
    output:
        manifest=f"{RESULTS}/runs/{{run_id}}/manifest.json",
        metrics=f"{RESULTS}/runs/{{run_id}}/metrics.jsonl",
        curve=f"{RESULTS}/runs/{{run_id}}/curve.parquet",
        rollouts=f"{RESULTS}/runs/{{run_id}}/rollouts.parquet",
        config=f"{RESULTS}/runs/{{run_id}}/config.json",
        record=f"{RESULTS}/runs/{{run_id}}/manifest.json.prov.json",
    log:
        f"{RESULTS}/logs/train/{{run_id}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/train/{{run_id}}.jsonl"
    conda:
        ENVIRONMENT
    threads: RESOURCES.train.threads
    resources:
        mem_mb=RESOURCES.train.mem_mb,
        runtime=RESOURCES.train.runtime,
        gpu=RESOURCES.train.gpu,
    params:
        **settings_of(lambda wildcards: PLAN.runs[wildcards.run_id]),
        prm=lambda wildcards: option(
            "--prm", PLAN.runs[wildcards.run_id].inputs.get("prm")
        ),
        validation=lambda wildcards: option(
            "--validation", *validation_files(PLAN.runs[wildcards.run_id])
        ),
        folder=f"{RESULTS}/runs/{{run_id}}",
        state=f"{RESULTS}/state/{{run_id}}",
    message:
        "Training {wildcards.run_id} ({threads} threads, {resources.gpu} GPU, {resources.mem_mb} MB, {resources.runtime} min)"
    shell:
        r"""
        exec &> >(tee {log:q})
        export OMP_NUM_THREADS={threads} MKL_NUM_THREADS={threads} HF_HUB_OFFLINE=1
        python -m workflow_scripts.train --config {params.config:q} --questions {input.questions:q} \
            --policy {input.policy:q} {params.prm:q} {params.validation:q} --out {params.folder:q} --state {params.state:q}
        """
