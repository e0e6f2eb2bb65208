/**
 * Everything that must hold before a change is taken, each step with its name and time. The last line is
 * `N passed, N failed`: the tests, and each step that fails as one.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runJest } from './check/jest.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Scripts of package.json. */
const STEPS = [
  'typecheck',
  'lint',
  'format:check',
  'imports',
  'dead-code',
  'words',
  'proto-types:check',
  'api-client:check',
  'start-apps',
];

function runScript(script) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--run', script], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) process.stdout.write(stdout + stderr);
  return status === 0;
}

function timed(name, step) {
  const startMs = performance.now();
  const isFine = step();
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  console.log(`${isFine ? 'ok    ' : 'FAILED'} ${name.padEnd(14)} ${seconds.padStart(6)} s`);
  return isFine;
}

/** Nodes of other projects, which some tests run against; without them those say that they were skipped. */
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
const failedSteps = STEPS.filter((script) => !timed(script, () => runScript(script)));
let tests = { passed: 0, failed: 0 };
timed('tests', () => {
  tests = runJest(root);
  return tests.failed === 0;
});
const failed = tests.failed + failedSteps.length;
console.log(`${tests.passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
