"""The command line talks to the service in its own process."""

import asyncio

import httpx

from headland.http.listener import Listener


class InProcess(httpx.BaseTransport):
    """Carries requests to the listener, and hands out tokens in the identity service's place."""

    def __init__(self, app: Listener, token: str) -> None:
        self._transport = httpx.ASGITransport(app)
        self._token = token
        self.requests: list[httpx.Request] = []
        #: Raised in the place of answers, after so many requests went through.
        self.faults: list[tuple[int, Exception]] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        if request.url.path.endswith("/oauth2/v2.0/token"):
            return httpx.Response(200, json={"access_token": self._token, "expires_in": 600})
        self.requests.append(request)
        answer = asyncio.run(self._answer(request))
        if self.faults and len(self.requests) > self.faults[0][0]:
            raise self.faults.pop(0)[1]
        return answer

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        answer = await self._transport.handle_async_request(request)
        content = b"".join([chunk async for chunk in answer.stream])
        return httpx.Response(answer.status_code, headers=answer.headers, content=content)
