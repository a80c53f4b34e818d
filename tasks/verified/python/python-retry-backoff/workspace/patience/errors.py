"""The error that ends a series of attempts."""


class GaveUp(Exception):
    """No further attempt will be made.

    ``attempts`` is the number of calls made and ``last`` the error of the
    final one.
    """

    def __init__(self, attempts, last):
        noun = "attempt" if attempts == 1 else "attempts"
        super().__init__(f"gave up after {attempts} {noun}: {type(last).__name__}: {last}")
        self.attempts = attempts
        self.last = last
