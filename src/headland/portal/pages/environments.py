"""Environments: named Python packages that batches and sessions run with."""

import re
from urllib.parse import quote

from starlette.responses import Response

from headland.jobs.environments.service import DEFAULT
from headland.jobs.environments.wire import EnvironmentRequest
from headland.portal.directory import Directory
from headland.portal.inside import RefusedError
from headland.portal.jobs import API, KINDS, JobService
from headland.portal.visits import Visit, page

_PATH = "/portal/environments"

#: No environment's name begins so.
_NEW = "_new"

#: Bytes of a form, and of a requirements file; which of these are too many, the service says.
_LARGEST = 1 << 20


async def list_environments(visit: Visit) -> Response:
    environments = await JobService(visit.inside).environments()
    return visit.show(
        "environments_table.html" if visit.partial else "environments.html",
        environments=environments,
        live=any(one.state == "building" for one in environments),
        looks=KINDS,
        names=await Directory.of(visit.inside),
        said=visit.said,
        data=f"{API}/environments",
    )


async def show_form(visit: Visit) -> Response:
    return _form(visit, visit.form)


async def make(visit: Visit) -> Response:
    form = visit.form
    if visit.file is not None and visit.file.name:
        try:
            # What is wrong with it can be mended in the form.
            form = {**form, "requirements": visit.file.content.decode("utf-8-sig")}
        except UnicodeDecodeError:
            return _form(visit, form, 400, f"requirements: {visit.file.name} is not UTF-8 text.")
    wanted = EnvironmentRequest(form.get("name", "").strip(), form.get("requirements", ""))
    try:
        await JobService(visit.inside).make_environment(wanted)
    except RefusedError as error:
        return _form(visit, form, error.status, error.message)
    return visit.go(f"{_PATH}/{quote(wanted.name)}")


def _form(visit: Visit, form: dict[str, str], status: int = 200, problem: str = "") -> Response:
    about = re.match(r"(name|requirements)\b", problem)
    return visit.show(
        "environment_new.html", status, form=form, problem=problem, wrong=about[1] if about else ""
    )


async def show_environment(visit: Visit) -> Response:
    name = visit.path("environment")
    try:
        environment = await JobService(visit.inside).environment(name)
    except RefusedError as error:
        if visit.partial and error.status == 404:
            return visit.show("environment_gone.html")
        raise
    if visit.partial and environment.state != "building":
        # There is more to see of it now: have the whole page come anew.
        return Response(status_code=204, headers={"hx-refresh": "true", "cache-control": "no-store"})
    return visit.show(
        "environment_state.html" if visit.partial else "environment.html",
        environment=environment,
        look=KINDS.get(environment.state, "waiting"),
        own=environment.name == DEFAULT,
        names=await Directory.of(visit.inside),
        said=visit.said,
        data=f"{API}/environments/{quote(name, safe='')}",
    )


async def remove(visit: Visit) -> Response:
    name = visit.path("environment")
    await JobService(visit.inside).remove_environment(name)
    return visit.go(_PATH, f"The environment {name} is removed.")


PAGES = (
    page("GET", "/environments", list_environments),
    page("GET", f"/environments/{_NEW}", show_form),
    page("POST", f"/environments/{_NEW}", make, largest=_LARGEST, largest_file=_LARGEST),
    page("GET", "/environments/{environment}", show_environment),
    page("POST", "/environments/{environment}/remove", remove),
)
