"""A browser without a window, driven over a pipe (Chrome's DevTools protocol): open a page, evaluate, press keys,
set the size and the colour scheme, make pictures. Debian's chromium-headless-shell, or chromium.
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
         "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe"]
KEYS = {"ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35, "Tab": 9, "Enter": 13}


def find_browser():
    for name in ("chromium-headless-shell", "chromium"):
        path = shutil.which(name)
        if path:
            return path
    raise FileNotFoundError("no chromium-headless-shell and no chromium (tools/deps test installs it)")


class Browser:
    def __init__(self, seconds=120):
        self.seconds = seconds
        self.folder = tempfile.mkdtemp(prefix="heddle-browser-")
        to_read, self.to = os.pipe()
        self.back, back_write = os.pipe()

        def arrange():  # the browser reads commands from 3 and writes to 4
            a, b = os.dup(to_read), os.dup(back_write)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [find_browser(), "--headless", *FLAGS, f"--user-data-dir={self.folder}", "about:blank"], pass_fds=(3, 4, to_read, back_write),
            preexec_fn=arrange, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={"PATH": os.environ["PATH"], "HOME": self.folder})
        os.close(to_read)
        os.close(back_write)
        self.number, self.buffer, self.events, self.session = 0, b"", [], None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(domain + ".enable")

    def receive(self, until):
        while b"\0" not in self.buffer:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.back], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self.back, 1 << 20)
            if not part:
                raise EOFError("the browser has ended")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def send(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + self.seconds
        while True:
            answer = self.receive(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def open(self, path):
        self.events = []
        self.send("Page.navigate", url="file://" + path)
        until = time.monotonic() + self.seconds
        while not any(e["method"] == "Page.loadEventFired" for e in self.events):
            answer = self.receive(until)
            if "method" in answer:
                self.events.append(answer)

    def evaluate(self, code):
        r = self.send("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in r:
            raise RuntimeError(f"{code}: {r['exceptionDetails']}")
        return r["result"].get("value")

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            extra = {"windowsVirtualKeyCode": KEYS[key]} if key in KEYS else {}
            if len(key) == 1 and kind == "keyDown":
                extra["text"] = key
            self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key, **extra)

    def size(self, width, height, dark=False, mobile=False):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def media(self, name):
        self.send("Emulation.setEmulatedMedia", media=name)

    def picture(self, path, whole=False):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.send("Page.captureScreenshot", captureBeyondViewport=whole)["data"]))

    def complaints(self):
        """Errors and warnings of the console, exceptions, violations of the policy, and requests other than the page's own."""
        self.evaluate("0")
        out = []
        for e in self.events:
            p = e["params"]
            if e["method"] == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
                out.append(str(p["args"]))
            elif e["method"] == "Runtime.exceptionThrown":
                out.append(str(p["exceptionDetails"]))
            elif e["method"] == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
                out.append(str(p["entry"]))
            elif e["method"] == "Network.requestWillBeSent" and not p["request"]["url"].startswith("file:"):
                out.append("request: " + p["request"]["url"])
        return out

    def close(self):
        for fd in (self.to, self.back):
            os.close(fd)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
