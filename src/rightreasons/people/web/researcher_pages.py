"""The pages of researchers: progress, invite links, the pay list, and buttons that pause or close the study."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

import polars as pl

from rightreasons.io.csv_injection import format_csv
from rightreasons.people import identifiers
from rightreasons.people.invitations import create_invitations, list_invitations
from rightreasons.people.monitoring import list_payments, measure_progress
from rightreasons.people.store_tables import CLOSED, OPEN, PAUSED
from rightreasons.people.web.access import RESEARCHER, RefusedRequestError
from rightreasons.people.web.pages import HEADERS

if TYPE_CHECKING:
    from starlette.responses import Response

    from rightreasons.people.web.site import Visit

MOST_INVITATIONS = 1000  # at a time


def open_researcher_link(visit: Visit) -> Response:
    """Set the cookie of a researcher who has the token."""
    visit.site.wrong_tokens.check_client(visit.request)
    token = visit.site.store.study.secrets.researcher
    if not identifiers.are_equal(visit.request.path_params["token"], token):
        visit.site.wrong_tokens.add(visit.request)
        raise _make_access_error(HTTPStatus.NOT_FOUND)
    response = visit.site.redirect("/researcher")
    visit.site.sessions.write_token(response, RESEARCHER, _make_session_token(visit))
    return response


def show_progress_page(visit: Visit) -> Response:
    """Show the progress of the study."""
    _check_researcher(visit)
    visit.site.store.expire_participants()
    progress = measure_progress(visit.site.store)
    return visit.site.render(
        "researcher.html",
        progress=progress,
        counts=progress.count_status(),
        state=visit.site.store.get_state(),
        invitations=list_invitations(visit.site.store),
        link_start=visit.site.make_link("/p/"),
        study_link=visit.site.make_link(f"/s/{visit.site.store.study.secrets.study}"),
        csrf=visit.make_form_token(RESEARCHER),
        rules=visit.site.protocol.exclude,
        payment=visit.site.protocol.payment,
        name=visit.site.store.study.card["name"],
    )


def change_state(visit: Visit) -> Response:
    """Open, pause or close the study."""
    _check_researcher(visit)
    visit.check_form(RESEARCHER)
    state = visit.form.get("state", "")
    if state in (OPEN, PAUSED, CLOSED):
        visit.site.store.set_state(state)
    return visit.site.redirect("/researcher")


def add_invitations(visit: Visit) -> Response:
    """Create invite links."""
    _check_researcher(visit)
    visit.check_form(RESEARCHER)
    count = visit.form.get("count", "")
    if count.isascii() and count.isdigit() and 0 < int(count[:5]) <= MOST_INVITATIONS:
        create_invitations(visit.site.store, int(count[:5]))
    return visit.site.redirect("/researcher")


def download_invitations(visit: Visit) -> Response:
    """Download the invite links that nobody has used yet."""
    _check_researcher(visit)
    start = visit.site.make_link("/p/")
    rows = [
        {"participant": each.participant, "link": f"{start}{each.token}"}
        for each in list_invitations(visit.site.store)
    ]
    return _make_csv_response(
        pl.DataFrame(rows, schema={"participant": pl.String, "link": pl.String}), "invitations.csv"
    )


def download_payments(visit: Visit) -> Response:
    """Download the list of participants to pay."""
    _check_researcher(visit)
    return _make_csv_response(list_payments(visit.site.store), "payments.csv")


def _make_csv_response(table: pl.DataFrame, name: str) -> Response:
    """Make a download of a table in which a spreadsheet finds no formulas."""
    from starlette.responses import Response

    headers = {**HEADERS, "Content-Disposition": f'attachment; filename="{name}"'}
    return Response(format_csv(table), headers=headers, media_type="text/csv; charset=utf-8")


def _make_session_token(visit: Visit) -> str:
    """Return what the cookie of researchers has in place of their token."""
    return identifiers.sign_text(visit.site.salt, "researcher", visit.site.store.study.secrets.researcher)


def _check_researcher(visit: Visit) -> None:
    """Refuse a request without the cookie of a researcher."""
    token = visit.site.sessions.read_token(visit.request, RESEARCHER)
    if token is None or not identifiers.are_equal(token, _make_session_token(visit)):
        raise _make_access_error(HTTPStatus.FORBIDDEN)


def _make_access_error(status: HTTPStatus) -> RefusedRequestError:
    return RefusedRequestError(
        status,
        "No access",
        "Open the researcher link that rightreasons study serve printed when it started.",
    )
