"""A headless Chromium driven over its DevTools pipe, with nothing but the standard library."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe")
TIMEOUT_S = 30.0

LAUNCHER = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(number), fcntl.F_DUPFD, 10) for number in sys.argv[1:3]]
os.dup2(ends[0], 3)
os.dup2(ends[1], 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Becomes the browser, which reads commands from descriptor 3 and writes answers to 4."""


def program() -> str | None:
    """Return the path of a Chromium, or None."""
    return next((path for name in PROGRAMS if (path := shutil.which(name))), None)


class Browser:
    """One page in one browser; what it logged, threw and asked for is kept.

    Attributes
    ----------
    problems
        Console errors and warnings, uncaught exceptions, and breaches of the page's security policy.
    requests
        Addresses that the page asked for.
    """

    def __init__(self, executable: str) -> None:
        self.problems: list[str] = []
        self.requests: list[str] = []
        self._home = tempfile.TemporaryDirectory(prefix="tmt-browser-", ignore_cleanup_errors=True)
        read_here, write_there = os.pipe()
        read_there, write_here = os.pipe()
        launch = [sys.executable, "-c", LAUNCHER, str(read_there), str(write_there), executable]
        self._process = subprocess.Popen(
            [*launch, *FLAGS, f"--user-data-dir={self._home.name}", "about:blank"],
            pass_fds=(read_there, write_there),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(read_there)
        os.close(write_there)
        self._in = os.fdopen(read_here, "rb", buffering=0)
        self._out = os.fdopen(write_here, "wb", buffering=0)
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Network", "Page"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> Any:
        """Send a command and return its answer; events that come before it are noted."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._out.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]
            self._note(answer)

    def open(self, page: Path, *, width: int = 1200, height: int = 900, fragment: str = "") -> None:
        """Open a file in a window of the given size, and wait until it is drawn."""
        mobile = width < 600
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=mobile,
        )
        self.call("Page.navigate", url="about:blank")
        self.problems.clear()
        self.requests.clear()
        self.call("Page.navigate", url=page.as_uri() + fragment)
        self.wait_for("document.readyState === 'complete' && location.protocol === 'file:'")

    def run(self, expression: str) -> Any:
        """Return the value of a JavaScript expression."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def wait_for(self, condition: str) -> None:
        """Wait until a JavaScript condition holds."""
        end = time.monotonic() + TIMEOUT_S
        while not self.run(condition):
            assert time.monotonic() < end, f"{condition} did not come true in {TIMEOUT_S} s"
            time.sleep(0.02)

    def press(self, key: str) -> None:
        """Press and release a key, by its DevTools name such as ``ArrowRight``."""
        codes = {"Tab": 9, "Enter": 13, " ": 32, "Escape": 27, "ArrowRight": 39, "ArrowLeft": 37}
        text = {"Enter": "\r", " ": " "}.get(key, "")
        detail = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": codes[key]}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **detail)
        self.call("Input.dispatchKeyEvent", type="keyUp", **detail)

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        """Write what the window shows, or the whole page, as PNG."""
        answer = self.call("Page.captureScreenshot", captureBeyondViewport=whole, **self._clip(whole))
        path.write_bytes(base64.b64decode(answer["data"]))

    def _clip(self, whole: bool) -> dict[str, Any]:
        if not whole:
            return {}
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}

    def close(self) -> None:
        """End the browser."""
        self._out.close()
        self._in.close()
        self._process.terminate()
        self._process.wait(TIMEOUT_S)
        self._home.cleanup()

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            part = self._in.read(1 << 20)
            assert part, "the browser has ended"
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        answer: dict[str, Any] = json.loads(message)
        return answer

    def _note(self, event: dict[str, Any]) -> None:
        method, detail = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.problems.append(str(detail["exceptionDetails"].get("exception", detail)))
        elif method == "Runtime.consoleAPICalled" and detail["type"] in {"error", "warning", "assert"}:
            self.problems.append(str([argument.get("value") for argument in detail["args"]]))
        elif method == "Log.entryAdded" and detail["entry"]["level"] in {"error", "warning"}:
            self.problems.append(detail["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(detail["request"]["url"])
        elif method == "Page.javascriptDialogOpening":
            self.problems.append(f"dialog: {detail['message']}")
            self._number += 1
            accept = {"id": self._number, "method": "Page.handleJavaScriptDialog", "params": {"accept": True}}
            self._out.write(json.dumps({**accept, "sessionId": self._session}).encode() + b"\0")
