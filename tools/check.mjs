/**
 * All checks of a change, each with its name and time. The last line is `N passed, N failed`: the tests, and
 * each failed step as one.
 */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runJest } from './check/jest.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Scripts of package.json, the longest first. */
const STEPS = [
  'lint',
  'typecheck',
  'imports',
  'format:check',
  'dead-code',
  'api-client:check',
  'start-apps',
  'proto-types:check',
  'words',
];
/** Type check and lint need 2 GB of memory each, which may limit parallelism more than processors do. */
const STEPS_AT_ONCE_MAX = 4;

async function runScript(script) {
  try {
    await promisify(execFile)(process.execPath, ['--run', script], { cwd: root, maxBuffer: Infinity });
    return true;
  } catch ({ stdout, stderr, message }) {
    process.stdout.write(`${stdout}${stderr}` || message);
    return false;
  }
}

async function timed(name, step) {
  const startMs = performance.now();
  const isFine = await step();
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  console.log(`${isFine ? 'ok    ' : 'FAILED'} ${name.padEnd(17)} ${seconds.padStart(6)} s`);
  return isFine;
}

/** Runs one step per processor at a time; returns the failed ones. */
async function runSteps() {
  const [waiting, failed] = [[...STEPS], []];
  const runRest = async () => {
    for (let script = waiting.shift(); script !== undefined; script = waiting.shift()) {
      const name = script;
      if (!(await timed(name, () => runScript(name)))) failed.push(name);
    }
  };
  const atOnce = Math.min(availableParallelism(), STEPS_AT_ONCE_MAX);
  await Promise.all(Array.from({ length: atOnce }, runRest));
  return failed;
}

/** Nodes of other projects, against which some tests run; without them those tests are skipped. */
function installNodes() {
  const folder = join(root, 'tools', 'nodes');
  if (existsSync(join(folder, 'node_modules'))) return;
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--prefix', folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0)
    console.log('could not install tools/nodes; nothing is tested against Hardhat and ganache');
}

installNodes();
const failedSteps = await runSteps();
let tests = { passed: 0, failed: 0 };
await timed('tests', () => {
  tests = runJest(root);
  return tests.failed === 0;
});
const failed = tests.failed + failedSteps.length;
console.log(`${tests.passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
