"""A headless Chromium driven over its DevTools pipe, with nothing but the standard library.

One Browser is one process with a profile of its own and no network use. open() loads a page and
records everything the page must not do: console errors, uncaught exceptions, requests other than
for the page itself.
"""

import json
import os
import select
import shutil
import subprocess
import tempfile
import time

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-extensions", "--mute-audio", "--hide-scrollbars", "--remote-debugging-pipe",
]


def find_chromium():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    return None


class Browser:
    def __init__(self, timeout=60):
        self.deadline = time.monotonic() + timeout
        self.profile = tempfile.mkdtemp(prefix="redflag-web-")
        self.next_id = 0
        self.buffer = b""
        self.trouble = []  # of the current page
        self.requests = []
        self.session = None
        to_browser_read, self.write_fd = os.pipe()
        self.read_fd, from_browser_write = os.pipe()
        # The browser reads commands on descriptor 3 and writes on 4.
        command = [find_chromium(), *FLAGS, f"--user-data-dir={self.profile}", "about:blank"]
        shell = f'exec "$@" 3<&{to_browser_read} 4>&{from_browser_write}'
        self.process = subprocess.Popen(
            ["bash", "-c", shell, "bash", *command], pass_fds=(to_browser_read, from_browser_write),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser_read)
        os.close(from_browser_write)

    def __enter__(self):
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        attached = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.resize(1400, 1000)
        return self

    def __exit__(self, *_):
        try:
            session, self.session = self.session, None
            self.call("Browser.close")
        except (RuntimeError, OSError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.write_fd)
        os.close(self.read_fd)
        shutil.rmtree(self.profile, ignore_errors=True)

    def _read_message(self):
        while b"\0" not in self.buffer:
            left = self.deadline - time.monotonic()
            ready, _, _ = select.select([self.read_fd], [], [], max(left, 0))
            if not ready:
                raise RuntimeError("the browser did not answer in time")
            data = os.read(self.read_fd, 1 << 16)
            if not data:
                raise RuntimeError("the browser ended")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def _note(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.trouble.append("exception: " + json.dumps(params["exceptionDetails"])[:600])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.trouble.append("console: " + json.dumps(params["args"])[:600])
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.trouble.append("log: " + json.dumps(params["entry"])[:600])
        elif method == "Page.javascriptDialogOpening":
            self.trouble.append("dialog: " + params["message"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def call(self, method, params=None):
        self.next_id += 1
        message = {"id": self.next_id, "method": method, "params": params or {}}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_fd, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read_message()
            if answer.get("id") == self.next_id:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self._note(answer)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride",
                  {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def open(self, path, fragment="", scheme="light", scripts=True):
        self.trouble, self.requests = [], []
        self.call("Emulation.setEmulatedMedia",
                  {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.call("Emulation.setScriptExecutionDisabled", {"value": not scripts})
        # Through an empty page, so that a new fragment is a new load.
        self.call("Page.navigate", {"url": "about:blank"})
        self.url = "file://" + os.path.abspath(path)
        self.call("Page.navigate", {"url": self.url + fragment})
        while self.evaluate("document.readyState + ' ' + location.protocol") != "complete file:":
            time.sleep(0.02)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", {
            "expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {json.dumps(result['exceptionDetails'])[:400]}")
        return result["result"].get("value")

    def key(self, key):
        for kind in ("keyDown", "keyUp"):
            params = {"type": kind, "key": key}
            if kind == "keyDown" and len(key) == 1:
                params["text"] = key
            self.call("Input.dispatchKeyEvent", params)

    def external_requests(self):
        return [url for url in self.requests
                if url.split("#")[0] not in (self.url, "about:blank")]

    def screenshot(self, path):
        import base64
        data = self.call("Page.captureScreenshot", {"format": "png"})["data"]
        with open(path, "wb") as out:
            out.write(base64.b64decode(data))

    def pdf(self):
        import base64
        return base64.b64decode(self.call("Page.printToPDF", {"printBackground": True})["data"])
