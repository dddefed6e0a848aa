// Writes what node --test saw as one JSON line per event. It runs in the
// runner's own process, which loads none of the product's code; this file lies
// outside the tree.
const NONCE = '@NONCE@';

function message(details) {
  let e = details && details.error;
  if (e && e.cause && typeof e.cause === 'object') e = e.cause;
  const text = e && (e.message || e.stack);
  return text ? String(text).slice(0, 2000) : '';
}

export default async function* report(source) {
  for await (const { type, data = {} } of source) {
    const { name, nesting, file } = data;
    let line = null;
    if (type === 'test:enqueue' && nesting === 0) line = { t: 'file', file };
    else if (type === 'test:start') line = { t: 'start', file, name, nesting };
    else if (type === 'test:pass' || type === 'test:fail') {
      const skipped = data.skip !== undefined && data.skip !== false;
      const todo = data.todo !== undefined && data.todo !== false;
      line = {
        t: 'end', file, name, nesting, suite: data.details?.type === 'suite',
        result: skipped || todo ? 'skip' : type.slice(5), message: message(data.details),
      };
    } else if (type === 'test:stderr' && String(data.message).includes(NONCE)) line = { t: 'natural', file, word: (/@@([\w.]*)@@/.exec(String(data.message)) ?? [])[1] ?? '' };
    else if (type === 'test:stdout' || type === 'test:stderr') line = { t: 'text', text: String(data.message) };
    if (line) yield JSON.stringify(line) + '\n';
  }
  yield JSON.stringify({ t: 'done', nonce: NONCE }) + '\n';
}
