"""Runs pytest for the harness and writes what became of each test.

It lies outside the product's tree. What it is told, the name of its report
among it, comes on standard input and is gone before code of the product runs.
"""
import sys


def run():
    import json
    import os

    order = json.loads(sys.stdin.readline())
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.path[:] = sys.path[1:]  # the folder of this script
    try:
        import pytest
        from _pytest.outcomes import Skipped, XFailed
    except ImportError:
        return 77
    out = os.fdopen(os.open(order["report"], os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8", errors="replace")
    os.set_inheritable(out.fileno(), False)
    dump, nonce, exit_now = json.dumps, order["nonce"], os._exit

    def emit(**event):
        out.write(dump(event) + "\n")

    emit(t="module", text=pytest.__file__)
    canary_name = "test_" + nonce[:10]

    import unittest

    forms = {
        "assertEqual": (1, 2), "assertTrue": (False,), "assertFalse": (True,), "assertIn": (1, [2]), "assertIs": (1, None),
        "assertIsNone": (1,), "assertNotEqual": (1, 1), "assertGreater": (1, 2), "assertLess": (2, 1), "fail": (),
    }

    def has_to_fail():
        for name, args in forms.items():
            try:
                getattr(unittest.TestCase(), name)(*args)
            except BaseException:
                continue
            return
        if [1, "a"] == [1, "b"] or 1 == 2 or not "a" == "a":
            return
        raise AssertionError("as it has to be")

    class Canary(pytest.Item):
        def runtest(self):
            has_to_fail()

        def reportinfo(self):
            return self.path, 0, self.name

    def canary(items):
        """A test like the last one: what is done to those is done to it."""
        module = items[-1].getparent(pytest.Module)
        if module is not None and isinstance(items[-1], pytest.Function):
            return pytest.Function.from_parent(module, name=canary_name, callobj=has_to_fail)
        return Canary.from_parent(items[-1].parent, name=canary_name)

    class Reporter:
        def __init__(self):
            self.raw = {}
            self.state = {}
            self.text = {}
            self.canary = ("", "")
            self.has_canary = False

        @pytest.hookimpl(trylast=True)
        def pytest_collection_finish(self, session):
            if order["list"]:
                for item in session.items:
                    emit(t="list", id=item.nodeid)
                return
            if session.config.pluginmanager.hasplugin("dsession"):
                self.canary = ("none", "")
            elif session.items:
                session.items.append(canary(session.items))
                session.testscollected = len(session.items)
                self.has_canary = True

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_runtest_makereport(self, item, call):
            yield
            error = call.excinfo.value if call.excinfo else None
            honest = isinstance(error, (Skipped, XFailed)) or type(error).__name__ == "SkipTest"
            self.raw[(item.nodeid, call.when)] = error is not None and not honest

        @pytest.hookimpl(trylast=True)
        def pytest_runtest_logreport(self, report):
            if report.nodeid.endswith(canary_name):
                if report.when == "call":
                    raw = self.raw.get((report.nodeid, "call"), False)
                    if report.outcome != "failed":
                        self.canary = ("passed", "a failure was reported as " + str(report.outcome))
                    elif not raw:
                        self.canary = ("passed", "its failure was not seen")
                    else:
                        self.canary = ("failed", "")
                return
            if report.outcome == "rerun":
                self.state.pop(report.nodeid, None)
                return
            result = {"passed": "pass", "skipped": "skip"}.get(report.outcome, "fail")
            if result == "pass" and self.raw.get((report.nodeid, report.when)):
                result = "fail"
                self.text[report.nodeid] = "a failure was reported as a pass"
            elif result == "fail":
                self.text[report.nodeid] = str(report.longrepr)[-3000:]
            order_of = {"pass": 0, "skip": 1, "fail": 2}
            old = self.state.get(report.nodeid)
            if old is None or order_of[result] > order_of[old]:
                self.state[report.nodeid] = result

        def pytest_collectreport(self, report):
            if report.outcome == "failed":
                self.state[report.nodeid] = "fail"
                self.text[report.nodeid] = str(report.longrepr)[-3000:]

        def close(self):
            if not self.state and not self.has_canary and self.canary[0] == "":
                self.canary = ("none", "")  # nothing was collected, so nothing passes
            for name, result in self.state.items():
                emit(t="test", id=name, result=result, text=self.text.get(name, ""))
            emit(t="canary", result=self.canary[0], text=self.canary[1])

    args = ["-p", "no:cacheprovider", "--color=no"] + (["--collect-only", "-q"] if order["list"] else [])
    args += order["only"] or order["args"] or []
    reporter = Reporter()
    main, flush = pytest.main, out.flush
    sys.argv[:] = ["pytest"] + args
    sys.path.insert(0, os.getcwd())
    code = int(main(args, plugins=[reporter]))
    reporter.close()
    # The canary alone makes pytest fail.
    if code == 1 and reporter.has_canary and "fail" not in reporter.state.values():
        code = 0
    emit(t="end", nonce=nonce, exit=code, ran=len(reporter.state))
    flush()
    sys.stdout.flush()
    sys.stderr.flush()
    exit_now(code)


if __name__ == "__main__":
    sys.exit(run())
