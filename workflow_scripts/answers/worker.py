"""A worker process of workers.py: one JSON text in per line, one JSON value out per line.

`python -m workflow_scripts.answers.worker SECONDS MEGABYTES`: each answer may take that much processor time and the
process that much memory. The kernel keeps both limits, so they hold inside compiled code, and without a parent.
"""

from __future__ import annotations

import json
import logging
import resource
import sys


def main() -> None:
    """Answer until the input ends."""
    seconds, megabytes = int(sys.argv[1]), int(sys.argv[2])
    replies, sys.stdout = sys.stdout, sys.stderr  # a library that prints must not speak for the worker
    logging.disable(logging.CRITICAL)
    sys.setrecursionlimit(2000)
    from workflow_scripts.answers.value import value_text

    value_text(r"\frac{1}{2}")  # the parser builds its tables on the first call
    limits = (megabytes << 20, megabytes << 20)
    resource.setrlimit(resource.RLIMIT_AS, limits)
    print("ready", file=replies, flush=True)
    for line in sys.stdin:
        used = resource.getrusage(resource.RUSAGE_SELF)
        soft = int(used.ru_utime + used.ru_stime) + seconds + 1
        resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.RLIM_INFINITY))
        try:
            value = value_text(json.loads(line))
        except Exception:  # the parser meets every text that a policy can write
            value = None
        print(json.dumps(value), file=replies, flush=True)


if __name__ == "__main__":
    main()
