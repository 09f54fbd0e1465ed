"""A session as a notebook uses it."""

from typing import Any

import httpx
from tests.serving import Served, eventually

HEADERS = {"X-Requested-By": "tests"}


class Notebook:
    """A session, and what a notebook does with it."""

    def __init__(self, served: Served, client: httpx.Client | None = None, **body: Any) -> None:
        """Of the administrator, or whoever `client` calls for."""
        self.served = served
        self._client = client
        answer = self.client.post("/livy/sessions", json={"kind": "pyspark", **body}, headers=HEADERS)
        assert answer.status_code == 201, answer.text
        self.id = answer.json()["id"]

    @property
    def client(self) -> httpx.Client:
        # The administrator's is another one after each start.
        return self._client or self.served.public

    @property
    def path(self) -> str:
        return f"/livy/sessions/{self.id}"

    def get(self, path: str = "") -> dict[str, Any]:
        answer = self.client.get(self.path + path)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def post(self, path: str, body: object = None, status: int = 200) -> Any:
        answer = self.client.post(self.path + path, json=body, headers=HEADERS)
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None

    def is_idle(self) -> "Notebook":
        def look() -> bool:
            state = self.get("/state")["state"]
            assert state not in {"dead", "error"}, self.get("/log?size=-1")["log"]
            return bool(state == "idle")

        eventually(look, "the session is idle")
        return self

    def begin(self, code: str, **more: str) -> int:
        return int(self.post("/statements", {"code": code, **more}, 201)["id"])

    def ended(self, number: int) -> dict[str, Any]:
        """The statement, once it has ended."""

        def look() -> dict[str, Any] | None:
            statement = self.get(f"/statements/{number}")
            return statement if statement["state"] in {"available", "cancelled"} else None

        found: dict[str, Any] = eventually(look, f"statement {number} has ended", pause=0.01)
        return found

    def run(self, code: str, **more: str) -> dict[str, Any]:
        output: dict[str, Any] = self.ended(self.begin(code, **more))["output"]
        return output

    def text(self, code: str, **more: str) -> str:
        output = self.run(code, **more)
        assert output["status"] == "ok", output
        return str(output["data"]["text/plain"])

    @property
    def run_key(self) -> str:
        """That of the only session of its home."""
        (folder,) = (self.served.home / "sessions").iterdir()
        return folder.name
