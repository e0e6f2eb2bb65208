import { beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { CollectionReport } from '../src/run/run-report.ts';

interface Result {
  readonly atOnce: readonly string[];
  readonly later: readonly string[];
  readonly innocent: readonly string[];
  readonly reports: Readonly<Record<string, CollectionReport>>;
}

async function runProgram(): Promise<Result> {
  const program = new URL('./left-work-process.mjs', import.meta.url).pathname;
  const flags = ['--conditions=plexus-source', '--disable-warning=ExperimentalWarning'];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, program]);
  return JSON.parse(stdout) as Result;
}

describe('work that a step does not await', () => {
  let result: Result;

  beforeAll(async () => {
    result = await runProgram();
  });

  function reports(names: readonly string[]): Readonly<Record<string, CollectionReport | undefined>> {
    expect(names.length).toBeGreaterThan(3);
    return Object.fromEntries(names.map((name) => [name, result.reports[name]]));
  }

  function all(names: readonly string[], value: unknown): object {
    return Object.fromEntries(names.map((name) => [name, value]));
  }

  it('fails its attempt if it fails at once', () => {
    const { atOnce } = result;

    expect(reports(atOnce)).toMatchObject(
      all(atOnce, {
        status: 'complete',
        entities: 1,
        steps: [{ id: 'hosts', attempts: 2 }, { id: 'disks' }],
      }),
    );
  });

  it('makes its types and those of its dependents partial if it fails, emits or has no answer later', () => {
    const { later } = result;

    // A refusal may be so fast that the step itself fails.
    expect(reports(later)).toMatchObject(
      all(later, {
        status: expect.stringMatching(/^(partial|failed)$/),
        partial_types: ['host', 'RUNS', 'disk'],
      }),
    );
    expect(result.reports['a fetch without an answer']).toMatchObject({
      status: 'partial',
      warnings: [
        'hosts: had not finished at its end: it did not await an HTTP request, without an answer by now',
      ],
    });
  });

  it('leaves a step complete if nothing is missing', () => {
    const { innocent } = result;

    expect(reports(innocent)).toMatchObject(
      all(innocent, { status: 'complete', partial_types: [], warnings: [] }),
    );
  });
});
