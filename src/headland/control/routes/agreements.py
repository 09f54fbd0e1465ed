"""The terms, as agreements of the marketplace."""

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from headland.audit import Change
from headland.control import access_wire, changes, subscriptions, wire
from headland.control import terms as rules
from headland.control.declaring import MISSING, SUBSCRIPTION, named, operation, reads
from headland.control.errors import BadFieldError, NotFoundError
from headland.control.rows import subscriptions as rows
from headland.control.service import body_of, caller, path, service_of, subscription_of
from headland.control.views import moment
from headland.http.answers import encoded_answer, json_answer
from headland.http.operations import Answer, Operation

_NAMESPACE = "Microsoft.MarketplaceOrdering"
_BASE = f"{SUBSCRIPTION}/providers/{_NAMESPACE}"
_PLAN = "publishers/{publisherId}/offers/{offerId}/plans/{planId}"
_CURRENT = f"{_BASE}/offerTypes/{{offerType}}/{_PLAN}/agreements/current"
_AGREEMENTS = f"{_BASE}/agreements"
_AGREEMENT = f"{_AGREEMENTS}/{{publisherId}}/offers/{{offerId}}/plans/{{planId}}"


async def read_agreement(request: Request) -> Response:
    _check_plan(request)
    return _shown(request)


async def put_agreement(request: Request) -> Response:
    _check_plan(request)
    wanted = (await body_of(request, wire.Acceptance)).properties
    version = service_of(request).terms.version
    if wanted.signature not in {None, version}:
        raise BadFieldError(
            f"properties.signature: the terms in force are '{version}', not '{wanted.signature}'.",
            "properties.signature",
        )
    if not wanted.accepted:
        raise BadFieldError(
            "properties.accepted: an acceptance can't be taken back; delete the instances instead.",
            "properties.accepted",
        )
    return await _accept(request)


async def sign_agreement(request: Request) -> Response:
    _check_plan(request)
    return await _accept(request)


async def list_agreements(request: Request) -> Response:
    return json_answer(wire.AgreementList([_view(request)]))


async def read_terms(request: Request) -> Response:
    terms = service_of(request).terms
    if "text/plain" in request.headers.get("accept", ""):
        return encoded_answer(terms.text.encode(), media_type="text/plain; charset=UTF-8")
    return json_answer(access_wire.Terms(terms.version, terms.text))


async def _accept(request: Request) -> Response:
    service, id_ = service_of(request), subscription_of(request)
    version, by, now = service.terms.version, caller(request).object_id, service.now()

    def accept(connection: Connection) -> tuple[None, Change | None]:
        if rows.accepted(connection, id_, version) is not None:
            return None, None
        rows.accept_terms(connection, id_, version, by, now)
        return None, changes.terms_accepted(subscriptions.get(connection, id_), version)

    await service.change(request, accept)
    return _shown(request)


def _check_plan(request: Request) -> None:
    given = tuple(path(request, name) for name in ("publisherId", "offerId", "planId"))
    if tuple(map(str.lower, given)) != (rules.PUBLISHER, rules.OFFER, rules.PLAN):
        raise NotFoundError(
            f"There is no agreement of publisher '{given[0]}', offer '{given[1]}', plan '{given[2]}': the one there "
            f"is has '{rules.PUBLISHER}', '{rules.OFFER}', '{rules.PLAN}'."
        )


def _shown(request: Request) -> Response:
    return json_answer(_view(request))


def _view(request: Request) -> wire.Agreement:
    service, id_ = service_of(request), subscription_of(request)
    accepted = service.read(lambda connection: rows.accepted(connection, id_, service.terms.version))
    text = f"{service.public_url}/control/terms"
    return wire.Agreement(
        id=f"/subscriptions/{id_}/providers/{_NAMESPACE}/agreements/{rules.PUBLISHER}/offers/{rules.OFFER}"
        f"/plans/{rules.PLAN}",
        name=rules.PLAN,
        type=f"{_NAMESPACE}/offertypes",
        properties=wire.AgreementProperties(
            publisher=rules.PUBLISHER,
            product=rules.OFFER,
            plan=rules.PLAN,
            license_text_link=text,
            privacy_policy_link=text,
            marketplace_terms_link=text,
            retrieve_datetime=moment(service.now()),
            signature=service.terms.version,
            accepted=accepted is not None,
        ),
    )


_READ = f"{_NAMESPACE}/agreements/offers/plans/read"
_ACCEPTED = {200: Answer("They are accepted.", wire.Agreement), **MISSING}

OPERATIONS = (
    reads(
        _CURRENT,
        named(read_agreement, "read_current_agreement"),
        "Read the terms' agreement",
        wire.Agreement,
        action=_READ,
    ),
    operation(
        "PUT",
        _CURRENT,
        named(put_agreement, "put_current_agreement"),
        "Accept the terms for a subscription",
        _ACCEPTED,
        action=f"{_NAMESPACE}/offertypes/publishers/offers/plans/agreements/write",
        body=wire.Acceptance,
    ),
    reads(_AGREEMENTS, list_agreements, "List agreements", wire.AgreementList, action=_READ),
    reads(_AGREEMENT, read_agreement, "Read the terms' agreement", wire.Agreement, action=_READ),
    operation(
        "PUT",
        _AGREEMENT,
        put_agreement,
        "Accept the terms for a subscription",
        _ACCEPTED,
        action=f"{_NAMESPACE}/agreements/offers/plans/write",
        body=wire.Acceptance,
        addition=True,
    ),
    operation(
        "POST",
        f"{_AGREEMENT}/sign",
        sign_agreement,
        "Accept the terms for a subscription",
        _ACCEPTED,
        action=f"{_NAMESPACE}/agreements/offers/plans/sign/action",
    ),
    Operation(
        "GET",
        "/control/terms",
        read_terms,
        "Read the terms",
        {200: Answer("The terms in force.", access_wire.Terms)},
        addition=True,
        # The agreement's link leads here, and people open it in a browser.
        guarded=False,
    ),
)
