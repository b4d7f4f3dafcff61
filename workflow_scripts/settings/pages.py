"""Settings of a page of the HTML report."""

from __future__ import annotations

from workflow_scripts.settings.base import Name, Strict


class ReportPage(Strict):
    """Step `report_page`: a table or a text as one self-contained page."""

    page: Name
    title: str
    text: str | None
