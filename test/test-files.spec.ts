import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const CONFIG = {
  testMatch: ['**/*.spec.ts'],
  runtime: join(ROOT, 'tools/jest/native-runtime.mjs'),
  testEnvironment: join(ROOT, 'tools/jest/native-environment.mjs'),
  testSequencer: join(ROOT, 'tools/mutants/order-sequencer.mjs'),
  transform: { '[.]ts$': join(ROOT, 'node_modules/@swc/jest') },
};

const KIT = `
import { expect, it } from '@jest/globals';
let uses = 0;
export function keepsItsPromise(): number {
  it('keeps its promise', () => expect(uses).toBeGreaterThan(0));
  return ++uses;
}
`;

/** Changes as much of the process as possible. */
const FIRST = `
import { expect, it, jest } from '@jest/globals';
import { keepsItsPromise } from './kit.ts';
const uses = keepsItsPromise();
jest.setTimeout(299_000);
it('changes the process, and puts nothing back', () => {
  jest.useFakeTimers({ now: 0 });
  jest.spyOn(Math, 'random').mockReturnValue(7);
  process.env['LEFT_BY_A_TEST'] = 'yes';
  delete process.env['CHANGED_BY_A_TEST'];
  process.chdir('/');
  process.on('SIGTERM', () => undefined);
  process.exitCode = 7;
  console.log('said by the first');
  expect([uses, Date.now(), Math.random()]).toEqual([1, 0, 7]);
});
`;

const SECOND = `
import { expect, it } from '@jest/globals';
import { keepsItsPromise } from './kit.ts';
const uses = keepsItsPromise();
it('finds it as it was', () => {
  expect(Date.now()).toBeGreaterThan(1e12);
  expect(Math.random()).toBeLessThan(1);
  expect([process.env['LEFT_BY_A_TEST'], process.env['CHANGED_BY_A_TEST']]).toEqual([undefined, 'no']);
  expect([process.cwd() === '/', process.exitCode, process.listenerCount('SIGTERM')]).toEqual([false, undefined, 0]);
  expect(globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')]).toBe(undefined);
});
it('finds modules as they were left', () => expect(uses).toBe(2));
it('fails at its own line', () => {
  throw new Error('of line 14');
});
`;

interface Result {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly title: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

describe('test files of one worker', () => {
  let folder: string;
  let result: Result;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plexus-test-files-'));
    const files = { 'kit.ts': KIT, 'first.spec.ts': FIRST, 'second.spec.ts': SECOND };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
    const config = JSON.stringify({ ...CONFIG, rootDir: folder, cacheDirectory: join(folder, 'cache') });
    const args = [jest, '--runInBand', '--json', '--outputFile=result.json', `--config=${config}`];
    const order = JSON.stringify(['first.spec.ts', 'second.spec.ts']);
    const env = { ...process.env, CHANGED_BY_A_TEST: 'no', MUTANTS_ORDER: order };
    const options = { cwd: folder, env };
    // It fails, as the third test does.
    await expect(promisify(execFile)(process.execPath, args, options)).rejects.toThrow('of line 14');
    result = JSON.parse(await readFile(join(folder, 'result.json'), 'utf8')) as Result;
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('share modules, and nothing else', () => {
    const outcomes = result.testResults.map(({ assertionResults }) =>
      assertionResults.map(({ title, status }) => `${title}: ${status}`),
    );

    expect(outcomes).toEqual([
      ['keeps its promise: passed', 'changes the process, and puts nothing back: passed'],
      [
        'keeps its promise: passed',
        'finds it as it was: passed',
        'finds modules as they were left: passed',
        'fails at its own line: failed',
      ],
    ]);
  });

  it('report failures by lines of the source', () => {
    const messages = result.testResults.flatMap(({ assertionResults }) =>
      assertionResults.flatMap(({ failureMessages }) => failureMessages),
    );

    expect(messages).toEqual([expect.stringMatching(/Error: of line 14\n\s+at .*second\.spec\.ts:14:9/)]);
  });
});
