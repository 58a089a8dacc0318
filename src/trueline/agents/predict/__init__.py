"""Agents written for OSWorld: anything with `predict(instruction, obs)`, run in a process of its own."""

from trueline.agents.predict.agent import PredictAgent, PredictOptions

__all__ = ["PredictAgent", "PredictOptions"]
