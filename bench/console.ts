/**
 * Script time of the console per frame while a graph of 50,000 nodes is moved: the built page in a real
 * browser, with a real server. Drawing is done by the graphics processor and is not measured: without one it
 * would take seconds per frame, so draw calls are disabled here.
 */
import chromium from '@sparticuz/chromium';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type CDPSession, type Page, chromium as playwright } from 'playwright-core';
import { Dataset } from './data/dataset.ts';
import { askOf } from './data/questions.ts';
import { loadTarget } from './graph/load-target.ts';
import { emptied } from './harness/emptied.ts';
import { describeMachine } from './harness/machine.ts';
import { readOptions } from './harness/options.ts';
import { type Line, renderTable } from './harness/table.ts';
import { startGraph } from './http/graph-server.ts';

/** The limit of the canvas. */
const NODES_MAX = 50_000;
const FRAMES = 20;
/** Thirty frames a second. */
const FRAME_MS = 33;
const WAIT_MS = 240_000;
const DRAW_NOTHING = `for (const kind of [WebGLRenderingContext, WebGL2RenderingContext])
  for (const name of ['drawArrays', 'drawElements', 'drawArraysInstanced', 'drawElementsInstanced'])
    if (name in kind.prototype) kind.prototype[name] = () => undefined;`;
const options = readOptions(process.argv.slice(2));
const nodes = Math.min(options.entities, NODES_MAX);
const data = new Dataset(nodes, options.seed);
const directory = join(options.directory, 'console');
emptied(directory);
await loadTarget('plexus', { directory, questions: askOf(data, options.seed), data });
const server = await startGraph(directory);
const browser = await playwright.launch({
  executablePath: await chromium.executablePath(),
  args: ['--no-sandbox', '--disable-gpu', '--enable-unsafe-swiftshader'],
});

try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.addInitScript(DRAW_NOTHING);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const opened = await open(page);
  const rounds: number[] = [];
  // The first round is a warm-up.
  for (let round = 0; round <= options.rounds; round++) {
    const before = await scriptMs(session);
    await pan(page);
    if (round > 0) rounds.push(((await scriptMs(session)) - before) / FRAMES);
  }
  const figures = new Map([['script', rounds]]);
  const line: Line = { title: 'panning', unit: 'ms', figures, reach: [], bound: FRAME_MS };
  console.log(`## Console, ${nodes.toLocaleString('en-US')} nodes, ${opened.edges} edges

${describeMachine()}, Chromium ${browser.version()} without a graphics processor. Seed ${options.seed}, medians of ${options.rounds} rounds of ${FRAMES} frames:
processor time of scripts, each frame. From the query to the whole graph: ${(opened.ms / 1_000).toFixed(1)} s.

${renderTable('script', ['script'], [line])}
`);
} finally {
  await browser.close();
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}

/** Runs a query for everything, and waits until all of it is on the canvas. */
async function open(page: Page): Promise<{ readonly ms: number; readonly edges: string }> {
  page.setDefaultTimeout(WAIT_MS);
  await page.goto(`http://127.0.0.1:${server.port}/`);
  const start = performance.now();
  await page.getByRole('textbox', { name: 'PQL' }).fill(`FIND * LIMIT ${NODES_MAX}`);
  await page.keyboard.press('Control+Enter');
  await page.getByRole('button', { name: 'Load all' }).click();
  await page.getByRole('button', { name: 'Load all' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Graph', exact: true }).click();
  // The layout starts when all edges have arrived, and runs in a worker.
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  const status = page.getByRole('status').filter({ hasText: `${nodes.toLocaleString('en')} nodes` });
  await status.waitFor();
  const ms = performance.now() - start;
  const edges = /([\d,]+) relationships/.exec(await status.innerText())?.[1] ?? '0';
  await page.getByRole('application').focus();
  return { ms, edges };
}

/** Moves back and forth, with a key press for each frame. */
async function pan(page: Page): Promise<void> {
  await page.evaluate(
    `(async () => {
      for (let frame = 0; frame < ${FRAMES}; frame++) {
        const key = frame < ${FRAMES / 2} ? 'ArrowRight' : 'ArrowLeft';
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      }
    })()`,
  );
}

async function scriptMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  const { value = 0 } = metrics.find(({ name }) => name === 'ScriptDuration') ?? {};
  return value * 1_000;
}
