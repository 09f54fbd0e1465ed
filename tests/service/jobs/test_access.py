"""Who may do what: every kind of caller at every operation, against one table."""

import httpx
import pytest

from headland.settings import JobsSettings, ServerSettings

from .conftest import BODY, Service

pytestmark = pytest.mark.anyio

#: What becomes of a request, by who asks (rows) and what for (columns), on a batch of `owner` that is run as
#: `proxied`. `ok`: done. `hides`: answered, with an empty log. `no`: 403, lacks the right to the batch.
#: `posing`: 403, may not act for that user. `out`: 403, may not use the service at all. `-`: makes no sense.
#:
#: `as-self` and `as-other` are submissions that name a proxy user; `log-as-*` are logs read with `doAs`.
MATRIX = {
    False: """
                  list get state log progress kill delete submit as-self as-other log-as-owner log-as-stranger
    nobody        ok   ok  ok    ok  ok       ok   ok     ok     -       ok       ok           ok
    owner         ok   ok  ok    ok  ok       ok   ok     ok     ok      posing   ok           posing
    proxied       ok   ok  ok    ok  ok       ok   ok     ok     ok      posing   posing       posing
    superuser     ok   ok  ok    ok  ok       ok   ok     ok     ok      ok       ok           ok
    administrator ok   ok  ok    ok  ok       ok   ok     ok     ok      ok       ok           ok
    modifier      ok   ok  ok    ok  ok       ok   ok     ok     ok      posing   posing       posing
    viewer        ok   ok  ok    ok  ok       ok   ok     ok     ok      posing   posing       posing
    stranger      ok   ok  ok    ok  ok       ok   ok     ok     ok      posing   posing       ok
    excluded      ok   ok  ok    ok  ok       ok   ok     ok     ok      posing   posing       posing
    """,
    True: """
                  list  get   state log progress kill delete submit as-self as-other log-as-owner log-as-stranger
    nobody        ok    ok    ok    ok  ok       ok   ok     ok     -       ok       ok           no
    owner         ok    ok    ok    ok  ok       ok   ok     ok     ok      posing   ok           posing
    proxied       ok    ok    ok    ok  ok       ok   ok     ok     ok      posing   posing       posing
    superuser     ok    ok    ok    ok  ok       ok   ok     ok     ok      ok       ok           no
    administrator ok    ok    ok    ok  ok       ok   ok     ok     ok      ok       ok           no
    modifier      ok    ok    ok    ok  ok       ok   ok     ok     ok      posing   posing       posing
    viewer        ok    ok    ok    ok  ok       no   no     ok     ok      posing   posing       posing
    stranger      hides hides ok    no  no       no   no     ok     ok      posing   posing       no
    excluded      out   out   out   out out      out  out    out    out     out      out          out
    """,
}

#: Batch requests by column: method, path, body.
REQUESTS = {
    "list": ("GET", "/batches", None),
    "get": ("GET", "/batches/{id}", None),
    "state": ("GET", "/batches/{id}/state", None),
    "log": ("GET", "/batches/{id}/log", None),
    "progress": ("GET", "/batches/{id}/progress", None),
    "kill": ("POST", "/batches/{id}/kill", None),
    "delete": ("DELETE", "/batches/{id}", None),
    "submit": ("POST", "/batches", BODY),
    "as-self": ("POST", "/batches", {**BODY, "proxyUser": "{caller}"}),
    "as-other": ("POST", "/batches", {**BODY, "proxyUser": "alice"}),
    "log-as-owner": ("GET", "/batches/{id}/log?doAs=owner", None),
    "log-as-stranger": ("GET", "/batches/{id}/log?doAs=stranger", None),
}

#: For whom the last three ask.
TARGETS = {"as-other": "alice", "log-as-owner": "owner", "log-as-stranger": "stranger"}
RIGHTS = {"kill": "modify", "delete": "modify"}
LISTS = {
    "superusers": ("superuser",),
    "modify_users": ("modifier",),
    "view_users": ("viewer",),
    "allowed_users": ("owner", "proxied", "stranger"),
}


def cells(table: str) -> list[tuple[str, str, str]]:
    """Caller, column and outcome of each cell."""
    head, *rows = [line.split() for line in table.strip().splitlines()]
    return [(row[0], column, outcome) for row in rows for column, outcome in zip(head, row[1:], strict=True)]


async def call(service: Service, caller: str, method: str, path: str, body: object = None) -> httpx.Response:
    """Make a request as somebody; as nobody in particular on the private listener, which lets such in."""
    headers = {"x-requested-by": "test"}
    if caller == "nobody":
        return await service.private.request(method, path, json=body, headers=headers)
    roles = ["Administrator"] if caller == "administrator" else []
    headers["authorization"] = f"Bearer {service.token(azp=caller, roles=roles)}"
    return await service.public.request(method, path, json=body, headers=headers)


@pytest.fixture
def make(make_service):
    async def make(**jobs: object) -> Service:
        settings = {"impersonation": True, **LISTS, **jobs}
        return await make_service(
            jobs=JobsSettings(**settings), server=ServerSettings(private_authentication="none")
        )

    return make


async def submit(service: Service) -> int:
    """A batch of `owner` that is run as `proxied`."""
    answer = await call(service, "owner", "POST", "/batches", BODY)
    assert answer.status_code == 201, answer.text
    service.change(answer.json()["id"], proxy_user="proxied")
    return answer.json()["id"]


def test_the_table_is_whole():
    everybody = [
        *("nobody", "owner", "proxied", "superuser", "administrator"),
        *("modifier", "viewer", "stranger", "excluded"),
    ]
    for table in MATRIX.values():
        assert [cell[:2] for cell in cells(table)] == [
            (caller, to) for caller in everybody for to in REQUESTS
        ]


@pytest.mark.parametrize("access_control", [False, True])
async def test_each_caller_at_each_operation(make, controller, check_error, access_control):
    service = await make(access_control=access_control)
    batch_id = await submit(service)
    service.run(batch_id, b"yield: 7.1 t/ha\n")
    with controller(service):
        for caller, column, outcome in cells(MATRIX[access_control]):
            if outcome == "-":
                continue
            # What ends a batch gets one of its own.
            id_ = await submit(service) if column in RIGHTS else batch_id
            method, path, body = REQUESTS[column]
            if body and "proxyUser" in body:
                body = {**body, "proxyUser": body["proxyUser"].format(caller=caller)}
            answer = await call(service, caller, method, path.format(id=id_), body)
            where = f"{caller} at {column}: {answer.text}"
            match outcome:
                case "ok" | "hides":
                    assert answer.status_code == (
                        201 if column in ("submit", "as-self", "as-other") else 200
                    ), where
                    check_answer(answer.json(), column, caller, hides=outcome == "hides")
                case "no":
                    user = TARGETS.get(column, caller)
                    right = RIGHTS.get(column, "view")
                    check_error(answer, 403, f"User '{user}' is not allowed to {right} batch {id_}.")
                case "posing":
                    text = f"User '{caller}' not allowed to impersonate 'Some({TARGETS[column]})'."
                    assert answer.json() == {"msg": text}, where
                    assert answer.status_code == 403, where
                case "out":
                    check_error(answer, 403, "User not authorised to use Livy.")
            if column in RIGHTS:
                row = service.row(id_)
                untouched = row is not None and not row.unwanted
                assert untouched == (outcome != "ok"), where


def check_answer(answer: dict, column: str, caller: str, *, hides: bool) -> None:
    """An answer shows what it should, and nothing of the log where that is to be hidden."""
    log = [] if hides else ["stdout: ", "yield: 7.1 t/ha"]
    match column:
        case "list":
            assert answer["sessions"][0]["log"] == log
            assert answer["sessions"][0]["owner"] == "owner"
        case "get":
            assert answer["log"] == log
            assert (answer["owner"], answer["proxyUser"], answer["state"]) == ("owner", "proxied", "running")
        case "log" | "log-as-owner" | "log-as-stranger":
            assert answer["log"] == log
        case "submit" | "as-self" | "as-other":
            assert answer["owner"] == (None if caller == "nobody" else caller)
            assert answer["proxyUser"] == {"submit": None, "as-self": caller, "as-other": "alice"}[column]


@pytest.mark.parametrize(
    ("method", "path"),
    [*((method, path) for method, path, _ in REQUESTS.values()), ("GET", "/version")],
)
async def test_who_is_not_allowed_gets_nowhere(make, check_error, method, path):
    service = await make(access_control=True)
    await submit(service)
    answer = await call(service, "excluded", method, path.format(id=0), {"nonsense": 1})
    check_error(answer, 403, "User not authorised to use Livy.")
    assert not service.row(0).unwanted


async def test_everybody_may_be_on_a_list(make):
    for name, right in {
        "view_users": ("GET", "/batches/0/log"),
        "superusers": ("GET", "/batches/0/log"),
    }.items():
        service = await make(access_control=True, **{name: ("*",)})
        await submit(service)
        assert (await call(service, "stranger", *right)).status_code == 200
        # Who is on any list is allowed in.
        assert (await call(service, "excluded", *right)).status_code == 200


async def test_do_as_goes_before_the_body(make):
    service = await make()
    body = {**BODY, "proxyUser": "alice"}
    for caller in ("superuser", "administrator", "nobody"):
        made = await call(service, caller, "POST", "/batches?doAs=bob", body)
        assert (made.status_code, made.json()["proxyUser"]) == (201, "bob")
    refused = await call(service, "owner", "POST", "/batches?doAs=bob", {**body, "proxyUser": "owner"})
    assert (refused.status_code, refused.json()) == (
        403,
        {"msg": "User 'owner' not allowed to impersonate 'Some(bob)'."},
    )
    # Naming oneself gives no leave to name another in the body: the body's is not looked at.
    made = await call(service, "owner", "POST", "/batches?doAs=owner", body)
    assert (made.status_code, made.json()["proxyUser"]) == (201, "owner")


async def test_who_is_acted_for_has_that_users_rights_alone(make, check_error):
    service = await make(access_control=True)
    await submit(service)
    made = await call(service, "superuser", "POST", "/batches?doAs=alice", BODY)
    assert (made.json()["owner"], made.json()["proxyUser"]) == ("superuser", "alice")
    assert (await call(service, "superuser", "GET", "/batches/1/log?doAs=alice")).status_code == 200
    answer = await call(service, "superuser", "DELETE", "/batches/0?doAs=alice")
    check_error(answer, 403, "User 'alice' is not allowed to modify batch 0.")
    assert not service.row(0).unwanted
    listed = (await call(service, "superuser", "GET", "/batches?doAs=viewer")).json()["sessions"]
    assert [one["proxyUser"] for one in listed] == ["proxied", "alice"]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("doAs=", "doAs '' is not a user name."),
        ("doAs=a%20b", "doAs 'a b' is not a user name."),
        ("doAs=" + "u" * 1000, "doAs 'uuu"),
        ("doAs=alice&doAs=bob", "doAs is given more than once."),
    ],
)
async def test_users_that_there_cannot_be(make, check_error, query, text):
    service = await make()
    await submit(service)
    for method, path in (
        ("GET", "/batches"),
        ("GET", "/batches/0"),
        ("POST", "/batches"),
        ("DELETE", "/batches/0"),
    ):
        answer = await call(service, "superuser", method, f"{path}?{query}", BODY)
        check_error(answer, 400, text)
    assert service.row(1) is None


@pytest.mark.parametrize("access_control", [False, True])
async def test_without_impersonation_nobody_is_acted_for(make, access_control):
    service = await make(impersonation=False, access_control=access_control)
    for query in ("doAs=alice", "doAs=", "doAs=a&doAs=b"):
        for caller in ("owner", "superuser", "nobody"):
            made = await call(service, caller, "POST", f"/batches?{query}", {**BODY, "proxyUser": "alice"})
            assert made.status_code == 201
            assert made.json()["proxyUser"] is None
    assert (await call(service, "owner", "GET", "/batches/0/log?doAs=alice")).status_code == 200


async def test_what_a_listed_user_submits_is_its_own(make):
    """A list gives rights to batches of others; one's own need none."""
    service = await make(access_control=True)
    for batch_id, caller in enumerate(("viewer", "stranger")):
        assert (await call(service, caller, "POST", "/batches", BODY)).json()["owner"] == caller
        assert (await call(service, caller, "GET", f"/batches/{batch_id}/log")).status_code == 200


async def test_batches_of_nobody_are_not_everybodys(make, check_error):
    service = await make(access_control=True)
    assert (await call(service, "nobody", "POST", "/batches", BODY)).json()["owner"] is None
    answer = await call(service, "stranger", "GET", "/batches/0/log")
    check_error(answer, 403, "User 'stranger' is not allowed to view batch 0.")
    assert (await call(service, "nobody", "GET", "/batches/0/log")).status_code == 200


async def test_a_name_leads_past_no_check(make, check_error):
    service = await make(access_control=True)
    await call(service, "owner", "POST", "/batches", {**BODY, "name": "harvest"})
    answer = await call(service, "stranger", "GET", "/batches/harvest/log")
    check_error(answer, 403, "User 'stranger' is not allowed to view batch 0.")
    answer = await call(service, "stranger", "GET", "/batches/nothing/log")
    check_error(answer, 404, "Session 'nothing' not found.")
