"""What all rules share: the plan, folders, and wildcards constrained to the ids that the plan knows.

PLAN holds every job's configuration and inputs; a rule looks its job up by its wildcards.
"""

from workflow_scripts.artefacts.literal import in_rst
from workflow_scripts.settings.guard import hold
from workflow_scripts.settings.workflow import (
    all_pages,
    claims_settings,
    code,
    headline_pages,
    local_files,
    one_of,
    option,
    page_config,
    page_source,
    plan_or_exit,
    prefer_this_environment,
    settings_of,
    validation_files,
    write_claims_config,
)

ROOT = Path(workflow.basedir)
prefer_this_environment(ROOT)

PLAN = plan_or_exit(config, workflow.configfiles, ROOT)
SCALE = PLAN.settings.settings
ARTEFACTS = PLAN.settings.artefacts
IN_ALL = [name for name, entry in ARTEFACTS.items() if not entry.sweep]
RESOURCES = SCALE.resources
RESULTS = SCALE.results.rstrip("/")
FIGURES = SCALE.figures.rstrip("/")
HEADLINE = SCALE.headline
ENVIRONMENT = f"../envs/{SCALE.environment}.yaml"

FETCHED = ("hub", "local")


wildcard_constraints:
    pin=one_of(PLAN.revisions),
    qid=one_of(PLAN.questions),
    owner=one_of([*PLAN.policies, *PLAN.runs]),
    sid=one_of({key.sid for key in PLAN.samples}),
    evaluation=one_of({evaluation for _, evaluation in PLAN.evaluations}),
    prm_id=one_of(PLAN.prms),
    run_id=one_of(PLAN.runs),
    artefact=one_of(ARTEFACTS),
    figure=one_of(name for name, entry in ARTEFACTS.items() if entry.kind == "figure"),
    table=one_of(name for name, entry in ARTEFACTS.items() if entry.kind == "table"),
    page=one_of({*headline_pages(PLAN), *all_pages(PLAN)}),
    ledger=one_of(PLAN.ledgers),
