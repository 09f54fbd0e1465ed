"""A notebook of sparkmagic's, run by nbclient as Jupyter would; prints what its cells showed as JSON."""

import json
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

asked = json.loads(sys.argv[1])
home = Path.home() / ".sparkmagic"
home.mkdir(parents=True, exist_ok=True)
where = {"username": "", "password": "", "url": asked["url"], "auth": "None"}
settings = {
    "kernel_python_credentials": where,
    "kernel_scala_credentials": where,
    "livy_session_startup_timeout_seconds": 200,
    # Widgets need a browser.
    "use_auto_viz": False,
    # What a gateway answers while nobody is behind it is asked for again so often.
    "retry_policy": "configurable",
    "configurable_retry_policy_max_retries": 60,
    "retry_seconds_to_sleep_list": [0.5],
}
(home / "config.json").write_text(json.dumps(settings))

notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in asked["cells"]])
client = NotebookClient(notebook, kernel_name=asked["kernel"], timeout=100, allow_errors=True)
client.execute()


def shown(cell: nbformat.NotebookNode) -> str:
    parts = []
    for output in cell.outputs:
        if output.output_type == "stream":
            parts.append(output.text)
        elif output.output_type == "error":
            parts.append(f"{output.ename}: {output.evalue}")
        else:
            parts.append(str(output.data.get("text/plain", "")))
    return "".join(parts)


print(json.dumps([shown(cell) for cell in notebook.cells]))
