"""Headers that tell browsers to trust little (https://owasp.org/www-project-secure-headers/)."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"content-security-policy", b"default-src 'self'; frame-ancestors 'self'"),
    (b"referrer-policy", b"no-referrer"),
)
STRICT_TRANSPORT = (b"strict-transport-security", b"max-age=31536000")


class SecurityHeaders:
    """Adds the headers to every answer; `Strict-Transport-Security` only where TLS is spoken."""

    def __init__(self, app: ASGIApp, tls: bool) -> None:
        self._app = app
        self._headers = [*HEADERS, STRICT_TRANSPORT] if tls else [*HEADERS]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self._headers]
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)
