# `make run` runs the central experiment in miniature; `make test` checks everything that a short time allows.

SHELL := /bin/sh
export PATH := $(CURDIR)/.venv/bin:$(PATH)

SNAKEMAKE := .venv/bin/python -m snakemake
LOCAL := $(SNAKEMAKE) --quiet host reason --profile local
# `make run SEEDS=1` is the short form; `make ... ARGS=--dry-run` hands anything to Snakemake.
SEEDS ?=
ARGS ?=
DRY := $(filter -n --dry-run --dryrun,$(ARGS))
CONFIG := $(if $(SEEDS),--config 'n_seeds=$(SEEDS)')
REPORT := results/mini/report/report.html
SUMMARY := .venv/bin/python -m workflow_scripts.summary --scale-file config/mini.yaml

.PHONY: help run all all_sweeps report report_headline report_all env test lint verify schema

help:
	@echo "make run             the central figures in miniature, trained from nothing (about 20 minutes on 2 cores)"
	@echo "make run SEEDS=1     the same with one seed"
	@echo "make prose_table3    one figure or table, with only the jobs that it lacks"
	@echo "make all             every figure and table so far, trained from nothing (about 90 minutes on 2 cores)"
	@echo "make all_sweeps      one setting, policy or pool varied at a time: 25 figures (about half an hour on 2 cores)"
	@echo "make report          the HTML report of what has been run: all of it, or the headline"
	@echo "make test            lint, types, and all tests that take minutes"
	@echo "make verify          the tests that take longer"

run: env
	$(LOCAL) headline $(ARGS) $(CONFIG)
	$(if $(DRY),,@$(MAKE) --no-print-directory report)
	$(if $(DRY),,@$(SUMMARY) headline)

# Here other jobs fill the second core, which `run` has nothing else for.
all: env
	$(LOCAL) all --set-threads pretrain_policy=1 $(ARGS) $(CONFIG)
	$(if $(DRY),,@$(MAKE) --no-print-directory report_all)
	$(if $(DRY),,@$(SUMMARY) all)

all_sweeps: env
	$(LOCAL) all_sweeps $(ARGS) $(CONFIG)

# A report shows finished files and runs no job. That of a run with SEEDS=1 is asked for with SEEDS=1, too.
report: env
	@missing=$$($(LOCAL) all --dry-run $(ARGS) $(CONFIG) 2>&1) || { echo "$$missing" >&2; exit 2; }; \
	case "$$missing" in *"Nothing to be done"*) of=all;; *) of=headline;; esac; \
	$(MAKE) --no-print-directory report_$$of

report_headline report_all: report_%: env
ifeq ($(DRY),)
	@$(SNAKEMAKE) --profile local $* --report $(REPORT) $(ARGS) $(CONFIG) \
		|| { echo "error: no report of $*. What it lacks is made by: make $(if $(filter all,$*),all,run)" >&2; exit 2; }
else
	@echo "would write $(REPORT) of $*"
endif

prose_% urlvr_% covo_% beyond_%: env
	@.venv/bin/python -m workflow_scripts.status $@ >/dev/null  # a name that is none is told in one line
	$(LOCAL) $@ $(ARGS) $(CONFIG)

env:
	@envs/build

lint: env
	ruff check .
	ruff format --check .
	mypy
	snakefmt --check Snakefile rules
	$(SNAKEMAKE) --lint

test: env lint
	pytest

verify: env
	pytest -m verify

schema: env
	.venv/bin/python -m workflow_scripts.settings.schema_file
