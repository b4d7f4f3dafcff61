"""Rewards: one module per family; `make_reward` builds one from its settings."""

from __future__ import annotations

from collections.abc import Mapping

from workflow_scripts.rewards.certainty import CertaintyReward
from workflow_scripts.rewards.clusters import EmpoReward
from workflow_scripts.rewards.controls import FormatReward, OracleReward, RandomReward
from workflow_scripts.rewards.group import Reward
from workflow_scripts.rewards.majority import MajorityReward
from workflow_scripts.rewards.process import ProcessLabelReward, ProcessReward
from workflow_scripts.settings import methods


def make_reward(settings: methods.RewardSpec, answers: Mapping[str, str]) -> Reward:
    """Build a reward; `answers` (question id to gold) reach the oracle and no other."""
    match settings:
        case methods.MajorityReward(missing=missing, min_share=min_share):
            return MajorityReward(missing, min_share)
        case methods.EmpoReward(all_distinct=all_distinct):
            return EmpoReward(all_distinct)
        case methods.ProcessReward(aggregation=aggregation, format_guard=guard):
            return ProcessReward(aggregation, guard)
        case methods.ProcessLabelReward(selection=selection, aggregation=aggregation):
            return ProcessLabelReward(selection, aggregation)
        case methods.CertaintyReward(formula=formula):
            return CertaintyReward(formula)
        case methods.OracleReward():
            return OracleReward(answers)
        case methods.RandomReward():
            return RandomReward()
        case methods.FormatReward():
            return FormatReward()
