# profile: agent
# Loggers raise nothing, and known JSON is read.
import json
import logging
import random

logging.basicConfig(level=logging.INFO)
log = logging.getLogger(__name__)


def skip(text):
    at = 0
    while at < len(text):  # error: AF401
        if text[at].isalpha():
            at += 1
        else:
            log.debug("skipping %r", text[at])
    return at


def skip_all(text):
    at = 0
    while at < len(text):
        if not text[at].isalpha():
            log.debug("skipping %r", text[at])
        at += 1
    return at


def fetch(payload, retries=3):
    attempt = 0
    while attempt < retries:  # error: AF406
        try:
            return json.loads(payload)["result"]
        except (ValueError, KeyError):
            log.warning("call failed, retrying")
            continue
        attempt += 1


if random.random() < 0.1:
    skip("ab=c")
if random.random() < 0.1:
    skip_all("ab=c")
if random.random() < 0.1:
    fetch('{"error": "no such thing"}')
if random.random() < 0.1:
    fetch('{"result": 1}')
