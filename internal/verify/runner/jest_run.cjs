// Runs jest for the harness and writes what became of each test. It lies
// outside the product's tree. What it is told comes on standard input.
const { readFileSync, openSync, writeSync, closeSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join, relative, sep } = require('node:path');

async function main() {
  const order = JSON.parse(readFileSync(0, 'utf8'));
  const out = openSync(order.report, 'wx', 0o600);
  const emit = (event) => writeSync(out, JSON.stringify(event) + '\n');
  const leave = process.exit.bind(process);
  const canaryName = order.nonce.slice(0, 12);

  const fromJest = createRequire(join(order.module, 'package.json'));
  const core = fromJest.resolve('@jest/core');
  const { runCLI } = fromJest('@jest/core');
  const { readConfigs } = createRequire(core)('jest-config');

  const escape = (s) => s.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const argv = {
    $0: 'jest', _: [], ci: true, watch: false, watchAll: false, passWithNoTests: false, coverage: false, bail: 0,
    reporters: [join(__dirname, 'silent.cjs')], rootDir: undefined,
  };
  const args = order.args ?? [];
  for (let i = 0; i < args.length; i++) {
    if ((args[i] === '-t' || args[i] === '--testNamePattern') && i + 1 < args.length) argv.testNamePattern = args[++i];
    else if (args[i].startsWith('--testNamePattern=')) argv.testNamePattern = args[i].slice('--testNamePattern='.length);
    else if (!args[i].startsWith('-')) argv._.push(args[i]);
  }
  if (argv.testNamePattern) argv.testNamePattern = `(${argv.testNamePattern})|${canaryName}`;
  if (order.only?.length) {
    argv._ = [...new Set(order.only.map((id) => escape(id.split(' > ')[0])))];
    argv.testNamePattern = '^(' + order.only.map((id) => escape(id.split(' > ').slice(1).join(' '))).join('|') + `|${canaryName})$`;
  }
  for (const key of Object.keys(argv)) if (argv[key] === undefined) delete argv[key];

  const { configs } = await readConfigs({ ...argv }, [order.dir]);
  const able = configs.length === 1 && configs[0].injectGlobals !== false;
  if (able) argv.setupFilesAfterEnv = [...configs[0].setupFilesAfterEnv, order.canary];

  const { results } = await runCLI(argv, [order.dir]);
  let ran = 0;
  let failed = false;
  const canaries = { failed: 0, passed: 0, skipped: 0, files: 0 };
  for (const file of results.testResults) {
    const name = relative(order.dir, file.testFilePath).split(sep).join('/');
    if (file.testExecError) {
      failed = true;
      ran++;
      emit({ t: 'test', id: name, result: 'fail', text: String(file.testExecError.stack || file.testExecError.message || '').slice(0, 3000) });
      continue;
    }
    canaries.files++;
    const seen = new Map();
    for (const test of file.testResults) {
      if (test.title === canaryName) {
        canaries[{ failed: 'failed', passed: 'passed' }[test.status] ?? 'skipped']++;
        continue;
      }
      if (test.status === 'pending' && order.only?.length) continue;
      let id = [name, ...test.ancestorTitles, test.title].join(' > ');
      const n = (seen.get(id) ?? 0) + 1;
      seen.set(id, n);
      if (n > 1) id += ` #${n}`;
      const result = { passed: 'pass', failed: 'fail' }[test.status] ?? 'skip';
      failed ||= result === 'fail';
      ran++;
      emit({ t: 'test', id, result, text: (test.failureMessages ?? []).join('\n').slice(0, 3000) });
    }
  }
  if (results.runExecError) emit({ t: 'note', text: String(results.runExecError.message) });
  let canary = { t: 'canary', result: 'failed', text: '' };
  if (!able || !ran || !canaries.files) canary.result = 'none';
  else if (canaries.passed) canary = { t: 'canary', result: 'passed', text: 'expect does not fail any more' };
  else if (canaries.skipped) canary = { t: 'canary', result: '', text: 'tests marked with only keep the others from running' };
  else if (canaries.failed < canaries.files) canary = { t: 'canary', result: '', text: 'it did not run in every file' };
  emit(canary);
  const code = failed || results.runExecError || results.wasInterrupted || !results.numTotalTests ? 1 : 0;
  emit({ t: 'end', nonce: order.nonce, exit: code, ran });
  closeSync(out);
  leave(code);
}

main().catch((e) => {
  console.error(e && (e.stack || e.message || e));
  process.exit(1);
});
