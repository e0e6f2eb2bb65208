import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withProxy } from './support/proxy.mjs';

const COMMIT = 'f0a5650a20c575fbea0f7179a3a9cfa50f20ba6e';
const SHA256 = 'd3825f5ec013ee42b117bea175fcbb9c0a9b284d069f0ab8b9e26bdd463f4b54';
const URL_OF_SUITE = `https://raw.githubusercontent.com/uNetworking/h1spec/${COMMIT}/http_test.ts`;
const SHIM = fileURLToPath(new URL('./support/deno-shim.mjs', import.meta.url));
const FETCH_MS_MAX = 10_000;

export const source = `h1spec, https://github.com/uNetworking/h1spec at ${COMMIT.slice(0, 7)}; it has no licence file, so it is fetched and not kept here (H1SPEC_FILE names a copy)`;

export async function run() {
  const program = await suite();
  if (typeof program === 'string') return { passed: 0, failed: 0, skipped: 1, notes: [program] };
  const directory = await mkdtemp(join(tmpdir(), 'plexus-h1spec-'));
  // The server required by the suite: it echoes every body.
  const echo = createServer(answerWithBody).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  try {
    const file = join(directory, 'http_test.ts');
    await writeFile(file, program);
    const output = await withProxy(echo.address().port, ({ port }) => outputOf(file, port));
    return verdictOn(output);
  } finally {
    echo.closeAllConnections();
    echo.close();
    await rm(directory, { recursive: true });
  }
}

async function answerWithBody(request, response) {
  const body = [];
  for await (const chunk of request) body.push(chunk);
  response.end(Buffer.concat(body));
}

/** Its bytes, or the reason why it cannot be fetched. */
async function suite() {
  const copy = process.env['H1SPEC_FILE'];
  try {
    const bytes = copy === undefined ? await download() : await readFile(copy);
    const hash = createHash('sha256').update(bytes).digest('hex');
    return hash === SHA256 ? bytes : `skipped: h1spec is not the one that is known (SHA-256 ${hash})`;
  } catch (error) {
    return `skipped: h1spec cannot be had: ${error.cause?.code ?? error.code ?? error.message}`;
  }
}

async function download() {
  const reply = await fetch(URL_OF_SUITE, { signal: globalThis.AbortSignal.timeout(FETCH_MS_MAX) });
  if (!reply.ok) throw new Error(`status ${reply.status}`);
  return Buffer.from(await reply.arrayBuffer());
}

/** The suite is written for Deno. */
async function outputOf(file, port) {
  const args = ['--disable-warning=ExperimentalWarning', '--import', SHIM, file, 'localhost', String(port)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  await once(child, 'close');
  return output;
}

function verdictOn(output) {
  const [, passed, all] = /(\d+) out of (\d+) tests passed/.exec(output) ?? [];
  if (passed === undefined) throw new Error(`h1spec did not come to its end:\n${output}`);
  const notes = output.split('\n').filter((line) => line.startsWith('❌') || line.startsWith('Error'));
  return { passed: Number(passed), failed: Number(all) - Number(passed), notes };
}
