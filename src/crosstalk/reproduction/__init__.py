"""A paper's tables anew: plans of stages, their runs, and published figures beside ours."""
