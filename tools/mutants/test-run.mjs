/** One run of Jest over test files, ended by the first failure, or when a file takes far too long. */
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { JEST_FLAGS } from '../check/jest.mjs';

const here = dirname(fileURLToPath(import.meta.url));

// A mutation may allocate endlessly.
const NODE_FLAGS = [...JEST_FLAGS, '--max-old-space-size=3072'];
const START_MS_MAX = 180_000;

function startJest(folder, { files, cache, temporary }) {
  const args = ['--runInBand', '--runTestsByPath', ...files, `--cacheDirectory=${cache}`];
  const extensions = [
    `--testSequencer=${join(here, 'order-sequencer.mjs')}`,
    `--reporters=${join(here, 'first-failure-reporter.mjs')}`,
  ];
  const jest = join(folder, 'node_modules', 'jest', 'bin', 'jest.js');
  return spawn(process.execPath, [...NODE_FLAGS, jest, ...args, ...extensions], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, MUTANTS_ORDER: JSON.stringify(files), TMPDIR: temporary },
    // A process group of its own: all processes of a test end with it.
    detached: true,
  });
}

function endGroup({ pid }) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return {}; // output of tests
  }
}

/**
 * `{status: 'passed' | 'failed' | 'timeout' | 'broken', file, test, durations}`; broken: Jest itself did not
 * start, or crashed. With `untilFailure: false` all files run, and `failed` is a list of files.
 */
export class TestRun {
  #durations = new Map();
  #failures = [];
  #current;
  #startedMs = 0;
  #timer;
  #settle;
  #options;
  #child;

  static async of(folder, options) {
    const temporary = join(folder, '.tmp');
    mkdirSync(temporary, { recursive: true });
    try {
      return await new TestRun().#run(folder, { untilFailure: true, ...options, temporary });
    } finally {
      rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
    }
  }

  #run(folder, options) {
    this.#options = options;
    this.#child = startJest(folder, options);
    const end = () => endGroup(this.#child);
    process.prependOnceListener('exit', end);
    return new Promise((resolve, reject) => {
      this.#settle = (status, test = '') => {
        clearTimeout(this.#timer);
        end();
        process.off('exit', end);
        resolve({ status, file: this.#current, test, durations: this.#durations, failures: this.#failures });
      };
      this.#limit(START_MS_MAX);
      this.#child.on('error', reject);
      this.#child.on('exit', (code, signal) => this.#ended(code, signal));
      createInterface({ input: this.#child.stdout }).on('line', (line) => this.#heard(parsed(line)));
    });
  }

  #limit(ms) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#settle(this.#current === undefined ? 'broken' : 'timeout'), ms);
  }

  #heard({ begins, passed, failed, test, done }) {
    if (begins !== undefined) {
      this.#current = begins;
      this.#startedMs = performance.now();
      this.#limit(this.#options.limitOf(begins));
    }
    if (passed !== undefined) this.#durations.set(passed, performance.now() - this.#startedMs);
    if (failed !== undefined) {
      this.#failures.push(failed);
      if (this.#options.untilFailure) this.#settle('failed', test);
    }
    if (done) this.#settle(this.#failures.length > 0 ? 'failed' : 'passed');
  }

  /**
   * Only a mutation makes a test process exit on its own; a SIGKILL is not the effect of a mutation.
   */
  #ended(code, signal) {
    const isOfMutation = this.#current !== undefined && signal !== 'SIGKILL' && code !== 0;
    this.#settle(isOfMutation ? 'failed' : 'broken', 'the process ended');
  }
}
