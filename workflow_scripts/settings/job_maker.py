"""The jobs that compute, from question sets to evaluations: configuration, inputs and outputs of each."""

from __future__ import annotations

from collections.abc import Sequence

from workflow_scripts.settings.configuration import PRM_NEEDED, Configuration
from workflow_scripts.settings.identity import digest8, named_id, run_id
from workflow_scripts.settings.job import Job, Plan, Samples, with_record
from workflow_scripts.settings.models import FinetunedPolicy, TrainedPrm
from workflow_scripts.settings.pins import needed_pin
from workflow_scripts.settings.question_sets import MatchedQuestions, OutvotedQuestions
from workflow_scripts.settings.steps import (
    Evaluate,
    PreparePolicy,
    PrepareQuestions,
    Sample,
    ScoreSteps,
    Train,
    TrainPrm,
    Validation,
)
from workflow_scripts.settings.training import SamplingSpec


class JobMaker:
    """Adds a job to the plan when it is first asked for, with everything that the job needs; returns its id."""

    def __init__(self, loaded: Configuration) -> None:
        self.loaded = loaded
        self.scale = loaded.settings
        self.results = loaded.settings.results.rstrip("/")
        self.plan = Plan(loaded)

    # ------------------------------------------------------------ questions and models

    def revision(self, source: object) -> dict[str, str]:
        """Return the input that names the commit of a hub source, where its entry names none."""
        pin = needed_pin(source)
        if pin is None:
            return {}
        outputs = with_record({"revision": f"{self.results}/revisions/{pin.path}.json"})
        self.plan.revisions[pin.path] = Job(pin, {}, outputs)
        return {"revision": outputs["revision"]}

    def question_set(self, name: str) -> str:
        spec = self.loaded.questions[name]
        inputs, base, base_samples = self.revision(spec.source), None, None
        if isinstance(spec.source, MatchedQuestions):
            base = self.question_set(spec.source.of)
            inputs["base"] = self.plan.questions[base].outputs["questions"]
            if policy := spec.source.wrong_answers_of:
                key = self.sample(self.policy(policy), policy, spec.source.of, self.scale.evaluation)
                base_samples = f"{key.owner}/{key.sid}"
                inputs["base_samples"] = self.plan.samples[key].outputs["rollouts"]
        elif isinstance(spec.source, OutvotedQuestions):
            base = self.question_set(spec.source.of)
            policy = spec.source.policy
            key = self.sample(self.policy(policy), policy, spec.source.of, self.loaded.sampling(spec.source))
            base_samples = f"{key.owner}/{key.sid}"
            inputs["base"] = self.plan.questions[base].outputs["questions"]
            inputs["base_samples"] = self.plan.samples[key].outputs["rollouts"]
        config = PrepareQuestions(
            name=name,
            question_set=spec,
            world=self.loaded.world_of(spec.source),
            base=base,
            base_samples=base_samples,
        )
        qid = named_id(name, config)
        folder = f"{self.results}/questions/{qid}"
        outputs = with_record({"questions": f"{folder}/questions.parquet", "card": f"{folder}/card.json"})
        self.plan.questions[qid] = Job(config, inputs, outputs)
        return qid

    def policy(self, name: str) -> str:
        spec = self.loaded.policies[name]
        source = spec.source
        inputs, start = self.revision(source), None
        if isinstance(source, FinetunedPolicy):
            start = self.policy(source.policy)
            inputs["policy"] = self.plan.policies[start].outputs["manifest"]
        config = PreparePolicy(name=name, policy=spec, start=start, world=self.loaded.world_of(source))
        policy_id = named_id(name, config)
        self.plan.policies[policy_id] = Job(config, inputs, self.model_outputs(policy_id))
        return policy_id

    def prm(self, name: str) -> str:
        spec = self.loaded.prms[name]
        source = spec.source
        inputs, policy, start = self.revision(source), None, None
        if isinstance(source, TrainedPrm):
            policy, start = self.loaded.policies[source.policy], self.policy(source.policy)
            inputs["policy"] = self.plan.policies[start].outputs["manifest"]
        config = TrainPrm(name=name, prm=spec, policy=policy, start=start, world=self.loaded.world_of(source))
        prm_id = named_id(name, config)
        self.plan.prms[prm_id] = Job(config, inputs, self.model_outputs(prm_id))
        return prm_id

    def model_outputs(self, model_id: str) -> dict[str, str]:
        folder = f"{self.results}/models/{model_id}"
        return with_record({"manifest": f"{folder}/manifest.json", "report": f"{folder}/report.json"})

    # ------------------------------------------------------------ runs, samples, evaluations

    def run(
        self,
        policy: str,
        questions: str,
        method_name: str,
        prm: str | None,
        seed: int,
        setup: str | None = None,
        validation: Sequence[str] = (),
    ) -> str:
        method = self.loaded.methods[method_name]
        qid, policy_id = self.question_set(questions), self.policy(policy)
        uses_prm = method.reward.kind in PRM_NEEDED and prm is not None
        prm_id = self.prm(prm) if uses_prm and prm else None
        config = Train(
            policy=policy_id,
            policy_spec=self.loaded.policies[policy],
            questions=qid,
            question_set=self.loaded.questions[questions],
            method_name=method_name,
            method=method,
            prm=prm_id,
            prm_spec=self.loaded.prms[prm] if uses_prm and prm else None,
            grpo=self.loaded.grpo(setup, method_name),
            evaluation=self.loaded.evaluation(setup),
            validation=[
                Validation(questions=self.question_set(name), question_set=self.loaded.questions[name])
                for name in validation
            ],
            seed=seed,
        )
        run = run_id(policy, questions, method_name, seed, config)
        folder = f"{self.results}/runs/{run}"
        inputs = {
            "questions": self.plan.questions[qid].outputs["questions"],
            "policy": self.plan.policies[policy_id].outputs["manifest"],
        }
        for i, watched in enumerate(config.validation):
            inputs[f"validation_{i}"] = self.plan.questions[watched.questions].outputs["questions"]
        if prm_id:
            inputs["prm"] = self.plan.prms[prm_id].outputs["manifest"]
        outputs = {
            "manifest": f"{folder}/manifest.json",
            "metrics": f"{folder}/metrics.jsonl",
            "curve": f"{folder}/curve.parquet",
            "rollouts": f"{folder}/rollouts.parquet",
            "config": f"{folder}/config.json",
        }
        self.plan.runs[run] = Job(config, inputs, with_record(outputs))
        return run

    def sample(self, owner: str, policy: str, questions: str, sampling: SamplingSpec) -> Samples:
        spec = self.loaded.policies[policy]
        qid = self.question_set(questions)
        key = Samples(owner, f"{qid}.{digest8(sampling)}")
        manifests = self.plan.runs if owner in self.plan.runs else self.plan.policies
        self.plan.samples[key] = Job(
            Sample(
                policy=owner,
                questions=qid,
                question_set=self.loaded.questions[questions],
                dtype=spec.dtype,
                chat_template_arguments=spec.chat_template_arguments,
                sampling=sampling,
            ),
            {
                "questions": self.plan.questions[qid].outputs["questions"],
                "policy": manifests[owner].outputs["manifest"],
            },
            with_record({"rollouts": f"{self.results}/samples/{key.owner}/{key.sid}/rollouts.parquet"}),
        )
        return key

    def score(self, key: Samples, prm: str) -> Job:
        prm_id = self.prm(prm)
        sample = self.plan.samples[key]
        assert isinstance(sample.config, Sample)
        question_set = sample.config.question_set
        folder = f"{self.results}/step_scores/{key.owner}/{key.sid}.{prm_id}"
        job = Job(
            ScoreSteps(
                samples=key.sid,
                question_set=question_set,
                prm=prm_id,
                prm_spec=self.loaded.prms[prm],
                world=self.loaded.world_of(question_set.source),
            ),
            {
                "questions": sample.inputs["questions"],
                "samples": sample.outputs["rollouts"],
                "prm": self.plan.prms[prm_id].outputs["manifest"],
            },
            with_record({"step_scores": f"{folder}/step_scores.parquet", "report": f"{folder}/report.json"}),
        )
        self.plan.step_scores[key, prm_id] = job
        return job

    def evaluate(
        self, owner: str, policy: str, questions: str, scored_by: str | None, setup: str | None = None
    ) -> tuple[Job, str | None]:
        """Return the evaluation job and the path of the step scores' report, if asked for."""
        key = self.sample(owner, policy, questions, self.loaded.evaluation(setup))
        sample = self.plan.samples[key]
        assert isinstance(sample.config, Sample)
        scores = self.score(key, scored_by) if scored_by else None
        config = Evaluate(
            samples=key.sid,
            questions=sample.config.questions,
            question_set=sample.config.question_set,
            prm=self.prm(scored_by) if scored_by else None,
            aggregation="min",
            bootstrap_samples=self.scale.statistics.bootstrap_samples,
            confidence=self.scale.statistics.confidence,
            seed=self.scale.statistics.seed,
        )
        evaluation = named_id(key.sid, config)
        folder = f"{self.results}/evaluations/{owner}/{evaluation}"
        inputs = {"questions": sample.inputs["questions"], "samples": sample.outputs["rollouts"]}
        if scores:
            inputs["step_scores"] = scores.outputs["step_scores"]
        outputs = {"metrics": f"{folder}/metrics.json", "per_question": f"{folder}/per_question.parquet"}
        job = Job(config, inputs, with_record(outputs))
        self.plan.evaluations[owner, evaluation] = job
        return job, scores.outputs["report"] if scores else None
