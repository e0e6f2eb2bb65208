/** The built graph service with its own folder and port, for the duration of `use`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const MAIN = join(ROOT, 'dist', 'programs', 'graph.js');

/** `use` receives `{url, folder}`. */
export async function withGraphService(use, args = []) {
  const folder = mkdtempSync(join(tmpdir(), 'plexus-suite-'));
  const command = [MAIN, 'serve', '--data-dir', join(folder, 'data'), '--port', '0', '--log-format', 'json'];
  const child = spawn(process.execPath, [...command, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    return await use({ url: await listening(child), folder });
  } finally {
    const exited = once(child, 'exit');
    if (child.exitCode === null && child.kill('SIGTERM')) await exited;
    rmSync(folder, { recursive: true });
  }
}

async function listening(child) {
  for await (const line of createInterface(child.stderr)) {
    if (!line.includes('"server.listening"')) continue;
    child.stderr.resume();
    return JSON.parse(line).url;
  }
  throw new Error('the graph service ended before it listened: run npm run build first');
}
