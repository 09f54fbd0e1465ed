"""Headland's own API of signing keys: listed, and rotated."""

from datetime import UTC, datetime, timedelta

import structlog
from msgspec import UNSET
from starlette.requests import Request
from starlette.responses import Response

from headland.audit import actor_of
from headland.http.answers import json_answer
from headland.http.operations import Answer, Operation
from headland.identity import key_rotation, key_store, key_wire, wire
from headland.identity.admin_service import body_of, operator, service_of
from headland.identity.keys import SigningKey
from headland.identity.records import KeyRecord

_log = structlog.get_logger("headland.identity")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


async def list_keys(request: Request) -> Response:
    await operator(request)
    service = service_of(request)
    keys = service.database.read(key_store.keys)
    now = service.now()
    return json_answer(key_wire.Keys([_view(key, keys, now) for key in keys]))


async def rotate_keys(request: Request) -> Response:
    principal = await operator(request)
    wanted = await body_of(request, key_wire.RotateKeys)
    service, actor = service_of(request), actor_of(request, principal)
    settings = service.settings.identity
    after = settings.key_overlap if wanted.activate_after is UNSET else wanted.activate_after
    # Before the transaction: making it takes as long as hundreds of writes.
    new = SigningKey.generate()
    now = service.now()
    made = await service.database.write(
        lambda connection: key_rotation.publish(
            connection,
            new,
            actor,
            activates_at=now + round(after * 1000),
            lifetime=settings.longest_token_lifetime,
            now=now,
        )
    )
    _log.info("key.published", kid=made.kid, activates_at=made.activates_at, by=principal.client_id)
    keys = service.database.read(key_store.keys)
    return json_answer(_view(made, keys, service.now()), 201)


def _view(key: KeyRecord, keys: list[KeyRecord], now: int) -> key_wire.Key:
    until = key_rotation.published_until(key)
    return key_wire.Key(
        kid=key.kid,
        state=key_rotation.state(key, keys, now),
        created_at=_moment(key.created_at),
        activates_at=_moment(key.activates_at),
        published_until=None if until is None else _moment(until),
    )


def _moment(milliseconds: int) -> datetime:
    return _EPOCH + timedelta(milliseconds=milliseconds)


OPERATIONS = (
    Operation(
        "GET",
        "/keys",
        list_keys,
        "List the signing keys, without their private halves",
        {200: Answer("The keys, the one that signs last first.", key_wire.Keys)},
        addition=True,
    ),
    Operation(
        "POST",
        "/keys",
        rotate_keys,
        "Make a signing key that takes over from the one that signs",
        {
            201: Answer("It is published.", key_wire.Key),
            400: Answer("The body is not as it must be; the message names the field.", wire.Problem),
            409: Answer("A key that takes over earlier is published already.", wire.Problem),
            408: Answer("The body does not come.", wire.Problem),
            413: Answer("The body is too large.", wire.Problem),
            415: Answer("The body is not JSON.", wire.Problem),
        },
        body=key_wire.RotateKeys,
        addition=True,
    ),
)
