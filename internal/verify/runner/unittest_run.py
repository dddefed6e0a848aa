"""Runs unittest for the harness and writes what became of each test.

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
    # What unittest loads late is loaded before the product can stand in for it.
    import asyncio  # noqa: F401
    import traceback
    import unittest
    import unittest.async_case
    import unittest.mock  # noqa: F401

    out = os.fdopen(os.open(order["report"], os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8", errors="replace")
    os.set_inheritable(out.fileno(), False)
    dump, nonce, exit_now = json.dumps, order["nonce"], os._exit
    state, text = {}, {}
    ranks = {"pass": 0, "skip": 1, "fail": 2}

    def emit(**event):
        out.write(dump(event) + "\n")

    emit(t="module", text=unittest.__file__)

    def note(test, result, words=""):
        name = test.id()
        if name not in state or ranks[result] > ranks[state[name]]:
            state[name] = result
        if words:
            text[name] = words[-3000:]

    def words_of(err):
        return "".join(traceback.format_exception(*err))

    class Result(unittest.TestResult):
        def startTest(self, test):
            super().startTest(test)
            open_tests[test.id()] = True

        def stopTest(self, test):
            super().stopTest(test)
            open_tests.pop(test.id(), None)

        def addSuccess(self, test):
            super().addSuccess(test)
            note(test, "pass")

        def addFailure(self, test, err):
            super().addFailure(test, err)
            note(test, "fail", words_of(err))

        def addError(self, test, err):
            super().addError(test, err)
            note(test, "fail", words_of(err))

        def addSkip(self, test, reason):
            super().addSkip(test, reason)
            note(test, "skip")

        def addExpectedFailure(self, test, err):
            super().addExpectedFailure(test, err)
            note(test, "pass")

        def addUnexpectedSuccess(self, test):
            super().addUnexpectedSuccess(test)
            note(test, "fail", "it passes, and was marked to fail")

        def addSubTest(self, test, subtest, err):
            super().addSubTest(test, subtest, err)
            if err is not None:
                note(test, "fail", words_of(err))

    open_tests = {}

    def canary():
        """A test with the product's own assertions, all of which have to fail."""
        forms = {
            "assertEqual": (1, 2), "assertTrue": (False,), "assertFalse": (True,), "assertIn": (1, [2]), "assertIs": (1, None),
            "assertIsNone": (1,), "assertNotEqual": (1, 1), "assertGreater": (1, 2), "assertLess": (2, 1), "assertAlmostEqual": (1, 2),
            "assertListEqual": ([1], [2]), "assertDictEqual": ({1: 1}, {1: 2}), "assertRegex": ("a", "b"), "fail": (),
        }

        class Case(unittest.TestCase):
            def test_it(self):
                for name, args in forms.items():
                    try:
                        getattr(self, name)(*args)
                    except BaseException:
                        continue
                    disarmed.append(name)
                if not disarmed:
                    self.assertEqual(1, 2)

        disarmed = []
        Case.__qualname__ = Case.__name__ = "Test" + nonce[:8]
        seen = Result()
        before = set(state)
        case = Case("test_it")
        case.run(seen)
        state_of = state.pop(case.id(), "")
        text.pop(case.id(), None)
        for extra in set(state) - before:
            state.pop(extra)
        if disarmed:
            return "passed", "unittest's " + disarmed[0] + " does not fail any more"
        return ("failed", "") if state_of == "fail" else ("passed", "a failure was reported as " + (state_of or "nothing"))

    def leaves(suite):
        try:
            for part in suite:
                yield from leaves(part)
        except TypeError:
            yield suite

    class Runner:
        def run(self, suite):
            if order["list"]:
                for test in leaves(suite):
                    emit(t="list", id=test.id())
                return unittest.TestResult()
            result = Result()
            started[0] = True
            suite(result)
            return result

    started = [False]
    args = list(order["only"] or order["args"] or [])
    sys.argv[:] = ["python -m unittest"] + args
    sys.path.insert(0, os.getcwd())
    try:
        program = unittest.TestProgram(module=None, argv=list(sys.argv), testRunner=Runner(), exit=False)
    except SystemExit as stop:
        if started[0]:
            return 1  # the product ended the run
        emit(t="note", text="unittest did not begin: exit code %r" % (stop.code,))
        out.flush()
        return 2
    if not order["list"] and (program.result is None or open_tests):
        return 1
    verdict = ("none", "") if order["list"] or not state else canary()
    for name, result in state.items():
        emit(t="test", id=name, result=result, text=text.get(name, ""))
    emit(t="canary", result=verdict[0], text=verdict[1])
    code = 1 if "fail" in state.values() else 0
    emit(t="end", nonce=nonce, exit=code, ran=len(state))
    out.flush()
    sys.stdout.flush()
    sys.stderr.flush()
    exit_now(code)


if __name__ == "__main__":
    sys.exit(run())
