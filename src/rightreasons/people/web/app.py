"""The application: addresses, and what holds for every request: the Host header, limits, errors and headers."""

from __future__ import annotations

import logging
import uuid
from http import HTTPStatus
from typing import TYPE_CHECKING

from rightreasons.people.database import DatabaseError
from rightreasons.people.web import participant_pages, researcher_pages
from rightreasons.people.web.access import RefusedRequestError
from rightreasons.people.web.forms import read_form
from rightreasons.people.web.pages import HEADERS, STATIC, find_static_file, read_static_file
from rightreasons.people.web.site import StudySite, Visit

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

    Page = Callable[[Visit], Response]

LOG = logging.getLogger("rightreasons.people")
STATIC_SECONDS = 60 * 60 * 24 * 365
RETRY_SECONDS = "5"
PAGES: dict[str, Page] = {
    "/s/{token}": participant_pages.open_study_link,
    "/p/{token}": participant_pages.open_personal_link,
    "/study": participant_pages.show_study,
    "/study/leave": participant_pages.ask_to_leave,
    "/r/{token}": researcher_pages.open_researcher_link,
    "/researcher": researcher_pages.show_progress_page,
    "/researcher/invitations.csv": researcher_pages.download_invitations,
    "/researcher/payments.csv": researcher_pages.download_payments,
}
ACTIONS: dict[str, Page] = {
    "/study/consent": participant_pages.give_consent,
    "/study/decline": participant_pages.decline_consent,
    "/study/instructions": participant_pages.finish_instructions,
    "/study/practice": participant_pages.check_practice,
    "/study/practiced": participant_pages.finish_practice,
    "/study/judge": participant_pages.judge_item,
    "/study/leave": participant_pages.leave_study,
    "/researcher/state": researcher_pages.change_state,
    "/researcher/invitations": researcher_pages.add_invitations,
}


def make_study_app(site: StudySite) -> Starlette:
    """Make the application of a study."""
    from starlette.applications import Starlette
    from starlette.routing import Route

    routes = [Route(path, _make_page_handler(site, page)) for path, page in PAGES.items()]
    routes += [
        Route(path, _make_page_handler(site, page), methods=["POST"]) for path, page in ACTIONS.items()
    ]
    routes += [
        Route("/", _make_page_handler(site, lambda visit: visit.site.redirect("/study"))),
        Route("/health", _make_page_handler(site, _show_health)),
        Route("/static/{name}", _make_page_handler(site, _send_static_file)),
    ]

    async def refuse_unknown(request: Request, error: Exception) -> Response:
        del request
        status = getattr(error, "status_code", HTTPStatus.NOT_FOUND)
        return site.render_message("There is no such page", "Open the link that you were given.", int(status))

    unknown = {
        HTTPStatus.NOT_FOUND.value: refuse_unknown,
        HTTPStatus.METHOD_NOT_ALLOWED.value: refuse_unknown,
    }
    app = Starlette(routes=routes, exception_handlers=unknown)
    app.router.redirect_slashes = False
    return app


def _make_page_handler(site: StudySite, page: Page) -> Callable[[Request], Awaitable[Response]]:
    """Turn a page into a handler: it runs in a thread, since it waits for the database."""
    from starlette.concurrency import run_in_threadpool

    async def handle(request: Request) -> Response:
        form: dict[str, str] = {}
        try:
            site.address.check_host(request)
            if request.method == "POST":
                form = await read_form(request)
            return await run_in_threadpool(page, Visit(site, request, form))
        except RefusedRequestError as error:
            return _refuse(site, error)
        except DatabaseError as error:
            return _explain_database_failure(site, request, form, error)
        except Exception:
            number = uuid.uuid4().hex[:12]
            LOG.exception("error %s", number)
            return site.render_message(
                "Something went wrong",
                "Earlier answers are saved. Open your link again. If it happens again, tell the researchers: "
                f"error {number}.",
                HTTPStatus.INTERNAL_SERVER_ERROR,
            )

    return handle


def _refuse(site: StudySite, error: RefusedRequestError) -> Response:
    """Make the page that says why a request is refused; the rest of its body is not read."""
    response = site.render_message(error.title, error.text, error.status)
    response.headers["Connection"] = "close"
    if error.status == HTTPStatus.TOO_MANY_REQUESTS:
        response.headers["Retry-After"] = "60"
    return response


def _explain_database_failure(
    site: StudySite, request: Request, form: dict[str, str], error: DatabaseError
) -> Response:
    """Log that the database failed, and make a page whose form sends the same answers again."""
    LOG.error("%s", error)
    retry = {"action": request.url.path, "fields": form} if request.method == "POST" else None
    text = (
        "Your last answer is not saved yet. Wait a moment, then try again: your answers are kept on this page."
        if retry
        else "The study can't be reached at the moment. Wait a moment, then reload this page. Your answers are saved."
    )
    response = site.render(
        "message.html",
        status=HTTPStatus.SERVICE_UNAVAILABLE,
        title="One moment, please",
        text=text,
        retry=retry,
    )
    response.headers["Retry-After"] = RETRY_SECONDS
    return response


def _show_health(visit: Visit) -> Response:
    """Answer that the server runs and reaches its database."""
    from starlette.responses import PlainTextResponse

    visit.site.store.get_state()
    return PlainTextResponse("ok", headers=HEADERS)


def _send_static_file(visit: Visit) -> Response:
    """Send the style or the script; its name changes with its content, so browsers may keep it."""
    from starlette.responses import Response

    name = find_static_file(visit.request.path_params["name"])
    if name is None:
        raise RefusedRequestError(HTTPStatus.NOT_FOUND, "There is no such file", "Reload the page.")
    headers = {**HEADERS, "Cache-Control": f"public, max-age={STATIC_SECONDS}, immutable"}
    return Response(read_static_file(name)[0], headers=headers, media_type=STATIC[name])
