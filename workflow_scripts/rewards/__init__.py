"""Rewards: one module per family; `make_reward` builds one from its settings."""

from __future__ import annotations

from collections.abc import Mapping

from workflow_scripts.rewards.controls import FormatReward, OracleReward, RandomReward
from workflow_scripts.rewards.group import Reward
from workflow_scripts.rewards.majority import MajorityReward
from workflow_scripts.rewards.process import ProcessLabelReward, ProcessReward
from workflow_scripts.settings import methods


def make_reward(settings: methods.RewardSpec, answers: Mapping[str, str]) -> Reward:
    """Build a reward; `answers` (question id to gold) reach the oracle and no other."""
    match settings:
        case methods.MajorityReward(missing=missing):
            return MajorityReward(missing)
        case methods.ProcessReward(aggregation=aggregation, format_guard=guard):
            return ProcessReward(aggregation, guard)
        case methods.ProcessLabelReward(selection=selection, aggregation=aggregation):
            return ProcessLabelReward(selection, aggregation)
        case methods.OracleReward():
            return OracleReward(answers)
        case methods.RandomReward():
            return RandomReward()
        case methods.FormatReward():
            return FormatReward()
