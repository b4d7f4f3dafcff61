"""Policies and process reward models.

Input: nothing (a tiny model is trained here), a local folder or the hub (config/models.yaml).
Output: manifest.json, written last, beside the weights in `model/`; report.json.
Training is a job of its own kind; fetching is not a job for a compute node and is the only step that may use the network
besides preparing questions.
"""


rule pretrain_policy:
    """Train the tiny policy {wildcards.model_id} on the imperfect reasoner's corpus: a new one, or from another one."""
    input:
        policy=lambda wildcards: PLAN.policies[wildcards.model_id].inputs.get(
            "policy", []
        ),
        code=code("pretrain_policy", PLAN, ROOT),
    output:
        manifest=f"{RESULTS}/models/{{model_id}}/manifest.json",
        report=f"{RESULTS}/models/{{model_id}}/report.json",
        record=f"{RESULTS}/models/{{model_id}}/manifest.json.prov.json",
    log:
        f"{RESULTS}/logs/pretrain_policy/{{model_id}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/pretrain_policy/{{model_id}}.jsonl"
    wildcard_constraints:
        model_id=one_of(
            model_id
            for model_id, job in PLAN.policies.items()
            if job.config.policy.source.kind not in FETCHED
        ),
    priority: 20  # runs and reward models wait for it
    conda:
        ENVIRONMENT
    threads:
        lambda wildcards: PLAN.policies[
            wildcards.model_id
        ].config.policy.source.threads
        or RESOURCES.pretrain_policy.threads
    resources:
        mem_mb=RESOURCES.pretrain_policy.mem_mb,
        runtime=RESOURCES.pretrain_policy.runtime,
        gpu=RESOURCES.pretrain_policy.gpu,
    params:
        **settings_of(lambda wildcards: PLAN.policies[wildcards.model_id]),
        policy=lambda wildcards: option(
            "--policy", PLAN.policies[wildcards.model_id].inputs.get("policy")
        ),
        folder=f"{RESULTS}/models/{{model_id}}",
    message:
        "Pretraining policy {wildcards.model_id} ({threads} threads, {resources.gpu} GPU, {resources.mem_mb} MB, {resources.runtime} min)"
    shell:
        r"""
        exec &> >(tee {log:q})
        export OMP_NUM_THREADS={threads} MKL_NUM_THREADS={threads} HF_HUB_OFFLINE=1
        python -m workflow_scripts.pretrain_policy --config {params.config:q} {params.policy:q} --out {params.folder:q}
        """


rule fetch_policy:
    """Point to the local folder of policy {wildcards.model_id}, or download it from the hub."""
    input:
        source=lambda wildcards: local_files(
            PLAN.policies[wildcards.model_id].config.policy.source
        ),
        revision=lambda wildcards: PLAN.policies[wildcards.model_id].inputs.get(
            "revision", []
        ),
        code=code("pretrain_policy", PLAN, ROOT),
    output:
        manifest=f"{RESULTS}/models/{{model_id}}/manifest.json",
        report=f"{RESULTS}/models/{{model_id}}/report.json",
        record=f"{RESULTS}/models/{{model_id}}/manifest.json.prov.json",
    log:
        f"{RESULTS}/logs/fetch_policy/{{model_id}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/fetch_policy/{{model_id}}.jsonl"
    wildcard_constraints:
        model_id=one_of(
            model_id
            for model_id, job in PLAN.policies.items()
            if job.config.policy.source.kind in FETCHED
        ),
    localrule: True
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=240,
    params:
        **settings_of(lambda wildcards: PLAN.policies[wildcards.model_id]),
        revision=lambda wildcards: option(
            "--revision", PLAN.policies[wildcards.model_id].inputs.get("revision")
        ),
        folder=f"{RESULTS}/models/{{model_id}}",
    message:
        "Fetching policy {wildcards.model_id}"
    shell:
        r"""
        exec &> >(tee {log:q})
        export OMP_NUM_THREADS={threads} MKL_NUM_THREADS={threads}
        python -m workflow_scripts.pretrain_policy --config {params.config:q} {params.revision:q} \
            --out {params.folder:q}
        """


rule train_prm:
    """Train the tiny process reward model {wildcards.model_id} on labelled steps."""
    input:
        policy=lambda wildcards: PLAN.prms[wildcards.model_id].inputs["policy"],
        code=code("train_prm", PLAN, ROOT),
    output:
        manifest=f"{RESULTS}/models/{{model_id}}/manifest.json",
        report=f"{RESULTS}/models/{{model_id}}/report.json",
        record=f"{RESULTS}/models/{{model_id}}/manifest.json.prov.json",
    log:
        f"{RESULTS}/logs/train_prm/{{model_id}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/train_prm/{{model_id}}.jsonl"
    wildcard_constraints:
        model_id=one_of(
            model_id
            for model_id, job in PLAN.prms.items()
            if job.config.prm.source.kind not in FETCHED
        ),
    priority: 10  # most runs wait for it
    conda:
        ENVIRONMENT
    threads: RESOURCES.train_prm.threads
    resources:
        mem_mb=RESOURCES.train_prm.mem_mb,
        runtime=RESOURCES.train_prm.runtime,
        gpu=RESOURCES.train_prm.gpu,
    params:
        **settings_of(lambda wildcards: PLAN.prms[wildcards.model_id]),
        folder=f"{RESULTS}/models/{{model_id}}",
    message:
        "Training process reward model {wildcards.model_id} ({threads} threads, {resources.gpu} GPU, {resources.mem_mb} MB, {resources.runtime} min)"
    shell:
        r"""
        exec &> >(tee {log:q})
        export OMP_NUM_THREADS={threads} MKL_NUM_THREADS={threads} HF_HUB_OFFLINE=1
        python -m workflow_scripts.train_prm --config {params.config:q} --policy {input.policy:q} \
            --out {params.folder:q}
        """


rule fetch_prm:
    """Point to the local folder of process reward model {wildcards.model_id}, or download it."""
    input:
        source=lambda wildcards: local_files(
            PLAN.prms[wildcards.model_id].config.prm.source
        ),
        revision=lambda wildcards: PLAN.prms[wildcards.model_id].inputs.get(
            "revision", []
        ),
        code=code("train_prm", PLAN, ROOT),
    output:
        manifest=f"{RESULTS}/models/{{model_id}}/manifest.json",
        report=f"{RESULTS}/models/{{model_id}}/report.json",
        record=f"{RESULTS}/models/{{model_id}}/manifest.json.prov.json",
    log:
        f"{RESULTS}/logs/fetch_prm/{{model_id}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/fetch_prm/{{model_id}}.jsonl"
    wildcard_constraints:
        model_id=one_of(
            model_id
            for model_id, job in PLAN.prms.items()
            if job.config.prm.source.kind in FETCHED
        ),
    localrule: True
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=240,
    params:
        **settings_of(lambda wildcards: PLAN.prms[wildcards.model_id]),
        revision=lambda wildcards: option(
            "--revision", PLAN.prms[wildcards.model_id].inputs.get("revision")
        ),
        folder=f"{RESULTS}/models/{{model_id}}",
    message:
        "Fetching process reward model {wildcards.model_id}"
    shell:
        r"""
        exec &> >(tee {log:q})
        export OMP_NUM_THREADS={threads} MKL_NUM_THREADS={threads}
        python -m workflow_scripts.train_prm --config {params.config:q} {params.revision:q} \
            --out {params.folder:q}
        """
