import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/**
 * Flags, not NODE_OPTIONS: Jest's workers and worker threads inherit them, the built app started by a test
 * does not. `--no-wasm-code-gc`: Node 24.21 was seen to abort in V8's `WasmImportWrapperCache::Free` ("Check
 * failed: jit_page_->allocations_.erase(addr) == 1") after compiled calls from WebAssembly, those of undici's
 * parser, had been replaced; without this collection they cost kilobytes.
 */
export const JEST_FLAGS = [
  '--no-wasm-code-gc',
  '--experimental-vm-modules',
  '--conditions=plexus-source',
  '--disable-warning=ExperimentalWarning',
];

/**
 * Tests start hundreds of threads and programs, which would each compile the same modules or strip their
 * types.
 */
const COMPILE_CACHE = ['node_modules', '.cache', 'compiled'];
/** Tests of programs and of load wait half of their time: use two workers more than processors. */
const WORKERS = availableParallelism() + 2;
/** A worker and its child processes need up to this much memory. */
const WORKER_BYTES = 1.5e9;
const WORKERS_MAX = Math.min(8, Math.max(1, Math.floor(totalmem() / WORKER_BYTES)));
const FAILURE_LINES = 6;

/** The failed tests of a file, each with its errors; of a file that was not loaded, its error. */
function failuresOf({ name: file, status, message, assertionResults }) {
  if (status === 'failed' && assertionResults.length === 0) return [{ file, title: '', message }];
  return assertionResults
    .filter((test) => test.status === 'failed')
    .map(({ fullName, failureMessages }) => ({ file, title: fullName, message: failureMessages.join('\n') }));
}

function readCounts(path) {
  const result = JSON.parse(readFileSync(path, 'utf8'));
  const brokenFiles = result.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.length,
  );
  const skipped = result.testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'pending'),
  );
  return {
    passed: result.numPassedTests,
    failed: result.numFailedTests + brokenFiles.length,
    failures: result.testResults.flatMap(failuresOf),
    skipped: Map.groupBy(skipped, ({ ancestorTitles: [group], title }) => group ?? title),
  };
}

/** The skipped tests; the name of each states the reason. */
function printSkipped(skipped) {
  for (const [name, tests] of skipped) console.log(`skipped: ${name}, ${tests.length} tests`);
}

/** Failures once more, in short: a log keeps its end, not always the place where a test failed. */
function printFailures(root, failures) {
  for (const { file, title, message } of failures) {
    const lines = stripVTControlCharacters(message).split('\n');
    const text = lines.filter((line) => line.trim() !== '').slice(0, FAILURE_LINES);
    console.log([`failed: ${relative(root, file)} ${title}`, ...text].join('\n    '));
  }
}

/**
 * Runs the tests, and lists the skipped ones. A file that cannot be loaded counts as one failed test, and so
 * does a crash of Jest.
 */
export function runJest(root, args = []) {
  const folder = mkdtempSync(join(tmpdir(), 'plexus-jest-'));
  const outputFile = join(folder, 'result.json');
  try {
    const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
    const workers = `--maxWorkers=${Math.min(WORKERS, WORKERS_MAX)}`;
    const flags = [...JEST_FLAGS, jest, '--json', `--outputFile=${outputFile}`, workers, ...args];
    const env = { ...process.env, NODE_COMPILE_CACHE: join(root, ...COMPILE_CACHE) };
    const { status } = spawnSync(process.execPath, flags, {
      cwd: root,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const { passed, failed, failures, skipped } = readCounts(outputFile);
    printFailures(root, failures);
    printSkipped(skipped);
    return { passed, failed: status !== 0 && failed === 0 ? 1 : failed };
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return { passed: 0, failed: 1 };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
