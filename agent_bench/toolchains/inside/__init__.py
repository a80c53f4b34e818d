"""Programs of ours that run inside the grading sandbox, by the Python that is there; nothing imports them."""
