/**
 * Prepares a checkout, on any Node from 20 with npm: installs the dependencies when they are missing or
 * differ from the lock file, builds when the sources have changed, and selects the Node that runs the
 * project. It repeats no work; when everything is up to date it takes some 50 ms and writes nothing.
 *
 *   bootstrap.mjs                     prints the path of the Node to use
 *   bootstrap.mjs --launch            the same, for a launcher: ends when its parent ends
 *   bootstrap.mjs --without-pages     as --launch, of a program that serves no page: leaves those as they are
 *   bootstrap.mjs <script> [args…]    runs the script with it; forwards signals and the exit code
 */
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { fileURLToPath } from 'node:url';
import { ALL_PARTS, build, isBuildCurrent, PARTS_WITHOUT_PAGES } from './bootstrap/build.mjs';
import { areDependenciesCurrent, installDependencies } from './bootstrap/dependencies.mjs';
import { withLock } from './bootstrap/lock.mjs';
import { chooseNode } from './bootstrap/node-choice.mjs';
import { Refusal } from './bootstrap/refusal.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const LAUNCH = '--launch';
const WITHOUT_PAGES = '--without-pages';
const PARENT_POLL_MS = 100;

function say(message) {
  process.stderr.write(`plexus: ${message}\n`);
}

async function prepare(parts) {
  if (areDependenciesCurrent(root) && isBuildCurrent(root, parts)) return chooseNode(root);
  return withLock(join(root, '.bootstrap.lock'), say, async () => {
    if (!areDependenciesCurrent(root)) await installDependencies(root, say);
    const node = chooseNode(root);
    if (!isBuildCurrent(root, parts)) await build(root, node, { parts, say });
    return node;
  });
}

/** A shell that is killed leaves its child to another parent. */
async function asLongAsParent(work) {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  }, PARENT_POLL_MS);
  try {
    return await work();
  } finally {
    clearInterval(watch);
  }
}

function run(node, script, args) {
  const child = spawn(node, [script, ...args], { stdio: 'inherit' });
  // A terminal sends SIGINT to the whole process group, so the child has received it already.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

try {
  const [script, ...args] = process.argv.slice(2);
  const isLaunch = script === LAUNCH || script === WITHOUT_PAGES;
  const work = () => prepare(script === WITHOUT_PAGES ? PARTS_WITHOUT_PAGES : ALL_PARTS);
  const node = await (isLaunch ? asLongAsParent(work) : work());
  if (script === undefined || isLaunch) process.stdout.write(`${node}\n`);
  else run(node, join(root, script), args);
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  say(error.message);
  process.exitCode = 1;
}
