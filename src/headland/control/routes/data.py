"""Whose data the caller may use. Headland's own: the public service lists resources to those alone who manage them."""

from starlette.requests import Request
from starlette.responses import Response

from headland.control.data_wire import InstanceOfData, InstanceOfDataList
from headland.control.provider import FARM_BEATS
from headland.control.rows import instances as rows
from headland.control.service import caller, service_of
from headland.http.answers import json_answer
from headland.http.operations import Answer, Operation


async def list_instances_of_data(request: Request) -> Response:
    service, principal = service_of(request), caller(request)
    found = [
        InstanceOfData(each.id, each.name, FARM_BEATS, each.location, each.provisioning_state)
        for each in service.read(rows.everywhere)
        if any(role.of_data for role in service.authorizer.roles(principal, each.id))
    ]
    return json_answer(InstanceOfDataList(found))


OPERATIONS = (
    Operation(
        "GET",
        "/control/instances",
        list_instances_of_data,
        "List the instances on whose data the caller has a role",
        {200: Answer("By name.", InstanceOfDataList)},
        addition=True,
    ),
)
