"""What waits in the queue of sessions."""

import json

from tacit.files.spool import JOBS


def jobs(own_home):
    return [json.loads(path.read_text().partition("\n")[2]) for path in sorted((own_home / JOBS).glob("*.json"))]
