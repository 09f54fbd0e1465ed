"""Files that belong to farm data: brought from a browser, and taken out by one."""

import uuid
from contextlib import AsyncExitStack

from starlette.responses import Response, StreamingResponse

from headland.portal.farm_kinds import ATTACHMENTS, kind_called
from headland.portal.farm_paths import PARTY_PATTERN, path_to
from headland.portal.farms import FarmService
from headland.portal.inside import RefusedError, passed_on
from headland.portal.visits import Visit, page

#: Bytes of a file that is brought by a form. Larger ones come over the API, which takes them piece by piece.
LARGEST_FILE = 32 << 20


async def attach_file(visit: Visit) -> Response:
    instance, party, id_ = (visit.path(name) for name in ("instance", "party", "document"))
    kind = kind_called(visit.path("kind"))
    if visit.file is None or not visit.file.name:
        raise RefusedError(400, "", "No file was chosen. Go back and choose one.")
    members = {"resourceId": id_, "resourceType": kind.type, "originalFileName": visit.file.name}
    if name := visit.form.get("name", "").strip():
        members["name"] = name
    farm = FarmService(visit.inside, instance)
    await farm.attach(party, str(uuid.uuid4()), members, visit.file.content)
    return visit.go(path_to(instance, party, kind, id_), "The file is attached.")


async def download_file(visit: Visit) -> Response:
    farm = FarmService(visit.inside, visit.path("instance"))
    opened = AsyncExitStack()
    file = await opened.enter_async_context(farm.file(visit.path("party"), visit.path("document")))
    said = {name: file.headers[name] for name in ("content-disposition", "content-length")}
    headers = {**said, "cache-control": "no-store"}
    return StreamingResponse(passed_on(opened, file), 200, headers, "application/octet-stream")


PAGES = (
    page("GET", f"{PARTY_PATTERN}/{ATTACHMENTS.segment}/{{document}}/file", download_file),
    page("POST", f"{PARTY_PATTERN}/{{kind}}/{{document}}/attach", attach_file, largest_file=LARGEST_FILE),
)
