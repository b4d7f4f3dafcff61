"""The one exception that stands for a user's mistake."""

from __future__ import annotations


class UserError(Exception):
    """A mistake that the user can repair: shown as one or two lines, never as a traceback.

    The message says what is wrong, where (file or key), and what to do next.
    """
