// Loaded before a test file. When the file's process comes to its natural end,
// which process.exit() is not, it says so to the runner.
import { writeSync } from 'node:fs';

if (process.env.NODE_TEST_CONTEXT) {
  process.once('beforeExit', () => writeSync(2, '\n@NONCE@\n'));
}
