"""Judge whole trajectories afterwards: success, safety, first violation."""
