// The scenario as a script for playwright-core: once, or once for every line of
// standard input, in a new context each time.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
const { chromium } = createRequire(process.argv[2] + '/')('playwright-core');
const [, , , executablePath, url, mode] = process.argv;
const browser = await chromium.launch({ executablePath, headless: true, args: ['--no-sandbox'] });
async function once() {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const page = await context.newPage();
    await page.goto(url);
    for (const name of ['7', '×', '8', '=']) await page.getByRole('button', { name, exact: true }).click();
    const shown = await page.getByRole('status', { name: 'Display' }).textContent();
    return shown === '56' ? 'pass' : 'fail: ' + shown;
  } finally {
    await context.close();
  }
}
if (mode === 'cold') {
  console.log(await once());
} else {
  console.log('ready');
  for await (const _ of createInterface({ input: process.stdin })) console.log(await once());
}
await browser.close();
