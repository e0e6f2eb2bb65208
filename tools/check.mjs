/**
 * Everything that must hold before a change is taken, each step with its name and time. The last line is
 * `N passed, N failed`: the tests, and each step that fails as one.
 */
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runJest } from './check/jest.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Scripts of package.json. */
const STEPS = ['typecheck', 'lint', 'format:check', 'imports', 'dead-code', 'words', 'start-apps'];

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

const failedSteps = STEPS.filter((script) => !timed(script, () => runScript(script)));
let tests = { passed: 0, failed: 0 };
timed('tests', () => {
  tests = runJest(root);
  return tests.failed === 0;
});
const failed = tests.failed + failedSteps.length;
console.log(`${tests.passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
