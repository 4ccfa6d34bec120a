"""The one exception a build step raises when a person has to do something."""

from __future__ import annotations


class BuildError(Exception):
    """A build step failed; the message is one sentence that says what and what to do."""
