"""Gets tokens as programs do that were written for the hosted directory: nothing here knows Headland.

The first argument names the case, standard input has its arguments as JSON; the answer is JSON, too.
"""

import asyncio
import json
import sys

import msal
import requests
from azure.core.exceptions import ClientAuthenticationError
from azure.identity import (
    CertificateCredential,
    ClientSecretCredential,
    DefaultAzureCredential,
    EnvironmentCredential,
)
from azure.identity import aio as azure_identity_aio


def client_secret(given):
    credential = ClientSecretCredential(
        given["tenant"],
        given["client_id"],
        given["client_secret"],
        authority=given["authority"],
        disable_instance_discovery=True,
    )
    return azure_tokens(credential, given)


def certificate(given):
    credential = CertificateCredential(
        given["tenant"],
        given["client_id"],
        given["path"],
        authority=given["authority"],
        disable_instance_discovery=True,
        send_certificate_chain=given.get("chain", False),
        password=given.get("password"),
    )
    return azure_tokens(credential, given)


def default(given):
    return azure_tokens(DefaultAzureCredential(**given.get("options", {})), given)


def environment(given):
    return azure_tokens(EnvironmentCredential(), given)


def in_environment(given):
    """The authority by the environment, the rest as a program says it: without a word of discovery."""
    if "path" in given:
        return azure_tokens(CertificateCredential(given["tenant"], given["client_id"], given["path"]), given)
    return azure_tokens(
        ClientSecretCredential(given["tenant"], given["client_id"], given["client_secret"]), given
    )


def default_async(given):
    async def tokens():
        async with azure_identity_aio.DefaultAzureCredential() as credential:
            return {"tokens": [(await credential.get_token(scope)).token for scope in given["scopes"]]}

    return asyncio.run(tokens())


def azure_tokens(credential, given):
    try:
        return {"tokens": [credential.get_token(scope).token for scope in given["scopes"]]}
    except (ClientAuthenticationError, ValueError) as error:
        return {"error": type(error).__name__, "message": str(error)}


def msal_client(given):
    client = msal.ConfidentialClientApplication(
        given["client_id"], client_credential=given["credential"], **given["options"]
    )
    return {"answers": [client.acquire_token_for_client([scope]) for scope in given["scopes"]]}


def plain(given):
    """The token requests of programs that use requests and nothing else."""
    base = f"{given['authority']}/{given['tenant']}/oauth2"
    client = {"client_id": given["client_id"], "client_secret": given["client_secret"]}
    form = {"grant_type": "client_credentials", **client}
    v2 = {**form, "scope": f"{given['resource']}/.default"}
    v1 = {**form, "resource": given["resource"]}
    bare = {name: value for name, value in v2.items() if name not in client}
    session = requests.Session()
    answers = {
        "v2": session.post(f"{base}/v2.0/token", data=v2),
        "v1": session.post(f"{base}/token", data=v1),
        "basic": session.post(f"{base}/v2.0/token", data=bare, auth=tuple(client.values())),
        "get": session.get(f"{base}/v2.0/token", files={name: (None, value) for name, value in v2.items()}),
        "get_urlencoded": session.get(f"{base}/v2.0/token", data=v2),
    }
    return {name: answer.json() for name, answer in answers.items()}


CASES = {
    "client_secret": client_secret,
    "certificate": certificate,
    "default": default,
    "default_async": default_async,
    "environment": environment,
    "in_environment": in_environment,
    "msal": msal_client,
    "plain": plain,
}

print(json.dumps(CASES[sys.argv[1]](json.load(sys.stdin))))
