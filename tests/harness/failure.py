"""A failed test."""


class Failure(Exception):
    """What is wrong, and the command line that shows it again."""

    def __init__(self, what, command=None):
        super().__init__(what)
        self.command = command
