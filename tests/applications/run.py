"""What tests run as a Python batch to have another program run inside a job."""

import subprocess
import sys

sys.exit(subprocess.run(sys.argv[1:], check=False).returncode)
