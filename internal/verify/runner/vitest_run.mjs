// Runs vitest for the harness and writes what became of each test. It lies
// outside the product's tree; tests run in workers of vitest, not in this
// process. What it is told comes on standard input.
import { readFileSync, openSync, writeSync, closeSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

const order = JSON.parse(readFileSync(0, 'utf8'));
const out = openSync(order.report, 'wx', 0o600);
const emit = (event) => writeSync(out, JSON.stringify(event) + '\n');
const leave = process.exit.bind(process);
const canaryName = order.nonce.slice(0, 12);

// New snapshots are not written while vitest takes this for a build server;
// the product's code does not see it.
process.env.CI = '1';
const { startVitest, createVitest } = await import(pathToFileURL(order.module).href);
delete process.env.CI;

const where = (file) => relative(order.dir, file).split(sep).join('/');

function files(ids) {
  return [...new Set(ids.map((id) => id.split(' > ')[0]))];
}

function names(ids) {
  const escape = (s) => s.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return '^\\s?(' + ids.map((id) => escape(id.split(' > ').slice(1).join(' '))).join('|') + `|${canaryName})$`;
}

const filters = [];
let pattern;
const args = order.args ?? [];
for (let i = 0; i < args.length; i++) {
  if ((args[i] === '-t' || args[i] === '--testNamePattern') && i + 1 < args.length) pattern = args[++i];
  else if (args[i].startsWith('--testNamePattern=')) pattern = args[i].slice('--testNamePattern='.length);
  else if (!args[i].startsWith('-') && args[i] !== 'run') filters.push(args[i]);
}
if (pattern) pattern = `(${pattern})|${canaryName}`;
if (order.only?.length) {
  filters.splice(0, filters.length, ...files(order.only));
  pattern = names(order.only);
}

const quiet = { onInit() {}, onFinished() {}, onTestRunEnd() {} };
const options = {
  root: order.dir, watch: false, run: true, reporters: [quiet], passWithNoTests: false, allowOnly: true, bail: 0,
  coverage: { enabled: false }, ui: false, open: false, ...(pattern ? { testNamePattern: pattern } : {}),
};
const plugin = {
  name: 'harness',
  enforce: 'post',
  config(config) {
    config.test ??= {};
    config.test.setupFiles = [...[].concat(config.test.setupFiles ?? []), order.canary];
  },
};

let ran = 0;
let failed = false;
const problems = [];
const canaries = { failed: 0, passed: 0, skipped: 0, files: 0 };

function result(task) {
  const state = task.result?.state;
  if (task.mode === 'skip' || task.mode === 'todo' || state === 'skip' || state === 'todo') return 'skip';
  return state === 'pass' ? 'pass' : 'fail';
}

const message = (task) => (task.result?.errors ?? []).map((e) => e.stack || e.message || '').join('\n').slice(0, 3000);

function walk(task, path, seen) {
  if (task.type === 'suite') {
    for (const child of task.tasks ?? []) walk(child, [...path, task.name], seen);
    return;
  }
  if (task.name === canaryName) {
    canaries[{ fail: 'failed', pass: 'passed', skip: 'skipped' }[result(task)]]++;
    return;
  }
  let id = [...path, task.name].join(' > ');
  const n = (seen.get(id) ?? 0) + 1;
  seen.set(id, n);
  if (n > 1) id += ` #${n}`;
  const r = result(task);
  ran++;
  failed ||= r === 'fail';
  emit(order.list ? { t: 'list', id } : { t: 'test', id, result: r, text: message(task) });
}

function report(list) {
  for (const file of list) {
    const seen = new Map();
    const tests = file.tasks ?? [];
    for (const task of tests) walk(task, [where(file.filepath)], seen);
    canaries.files++;
    if (file.result?.state === 'fail' && (!tests.length || file.result?.errors?.length)) {
      failed = true;
      ran++;
      emit({ t: 'test', id: where(file.filepath), result: 'fail', text: message(file) });
      canaries.files--;
    }
  }
}

let vitest;
if (order.list) {
  vitest = await createVitest('test', options, { plugins: [] });
  const specs = await vitest.collect(filters);
  report(specs.testModules ? specs.testModules.map((m) => m.task) : vitest.state.getFiles());
} else {
  vitest = await startVitest('test', filters, options, { plugins: [plugin] });
  const list = vitest ? vitest.state.getFiles() : [];
  report(list);
  for (const e of vitest?.state.getUnhandledErrors?.() ?? []) problems.push(String(e.stack || e.message || e).slice(0, 2000));
}
for (const p of problems) emit({ t: 'note', text: 'an error outside of any test: ' + p });
const many = (vitest?.projects?.length ?? 1) > 1;
let canary = { t: 'canary', result: 'failed', text: '' };
if (order.list || !ran || (many && !canaries.failed && !canaries.passed && !canaries.skipped)) canary.result = 'none';
else if (canaries.passed) canary = { t: 'canary', result: 'passed', text: 'expect does not fail any more' };
else if (canaries.skipped) canary = { t: 'canary', result: '', text: 'tests marked with only keep the others from running' };
else if (canaries.failed < canaries.files && !many) canary = { t: 'canary', result: '', text: 'it did not run in every file' };
emit(canary);
const code = failed || problems.length ? 1 : 0;
emit({ t: 'end', nonce: order.nonce, exit: code, ran: order.list ? 0 : ran });
closeSync(out);
const timer = setTimeout(() => leave(code), 3000);
await vitest?.close();
clearTimeout(timer);
leave(code);
