"""Sets of labelled steps made from runs of simulated subjects, in the format of MisActBench."""
