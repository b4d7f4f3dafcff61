"""Test-time reinforcement learning without labels: the papers' figures and tables, at two scales.

The scale is configuration. Without a profile it is the miniature (config/mini.yaml); a profile names its own file,
and `--configfile` names any other. How data flows: questions and models -> samples, runs -> step scores,
evaluations -> analysis -> figures, tables, claims -> audit, report.
"""

from pathlib import Path

from snakemake.utils import min_version

min_version("9.0")

# Snakemake merges a given file into this one, and a job on a cluster is not told to replace it: so it is read
# only where no other is given.
if not workflow.configfiles:

    configfile: "config/mini.yaml"


report: "report/workflow.rst"


include: "rules/common.smk"
include: "rules/questions.smk"
include: "rules/models.smk"
include: "rules/train.smk"
include: "rules/sample.smk"
include: "rules/evaluate.smk"
include: "rules/artefacts.smk"
include: "rules/audit.smk"
include: "rules/targets.smk"


onstart:
    hold(RESULTS)
    write_claims_config(PLAN)
