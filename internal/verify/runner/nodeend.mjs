// Loaded before a test file. When the file's process comes to its natural end,
// which process.exit() is not, it says so to the runner, and names an assertion
// that fails no longer.
import { writeSync } from 'node:fs';
import assert from 'node:assert';

const forms = {
  ok: [false], equal: [1, 2], strictEqual: [1, 2], deepEqual: [{ a: 1 }, { a: 2 }], deepStrictEqual: [{ a: 1 }, { a: 2 }],
  notEqual: [1, 1], notStrictEqual: [1, 1], match: ['a', /b/], throws: [() => {}], fail: [],
};

function disarmed() {
  for (const of of [assert, assert.strict]) {
    for (const [name, args] of Object.entries(forms)) {
      try {
        of[name](...args);
      } catch {
        continue;
      }
      return 'assert.' + name;
    }
  }
  return '';
}

if (process.env.NODE_TEST_CONTEXT) {
  const write = writeSync;
  process.once('beforeExit', () => write(2, `\n@NONCE@ @@${disarmed()}@@\n`));
}
