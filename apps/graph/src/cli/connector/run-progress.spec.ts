import { describe, expect, it } from '@jest/globals';
import type { RunRecord, StepReport } from '#graph/connector';
import { RunProgressLine } from './run-progress.ts';

const step = (more: Partial<StepReport>): StepReport => ({
  id: 'users',
  wave: 1,
  status: 'waiting',
  attempts: 0,
  entities: 0,
  relationships: 0,
  duration_ms: 0,
  ...more,
});

const run = (steps: readonly StepReport[], more: Partial<RunRecord> = {}): RunRecord => ({
  run_id: 'r',
  connector_id: 'c',
  started_at: '',
  ended_at: null,
  status: 'collecting',
  steps,
  entities: 3,
  relationships: 1,
  mapped: 0,
  partial_types: [],
  unresolved_count: 0,
  external_count: 0,
  ignored: {},
  warnings: [],
  warning_count: 0,
  ...more,
});

const RUNNING = run([step({ status: 'running', entities: 2 })]);
const ENDED = run([step({ status: 'failed', attempts: 2, duration_ms: 5, reason: 'no\u001b[2Jentry' })], {
  status: 'failed',
  ended_at: 'now',
});

function shown(isTTY: boolean, ...runs: readonly RunRecord[]): string {
  const written: string[] = [];
  const progress = new RunProgressLine({ isTTY, write: (text: string) => written.push(text) });
  for (const each of runs) progress.show(each);
  return written.join('');
}

describe('run progress', () => {
  it('prints a plain line for each change without a terminal', () => {
    expect(shown(false, run([step({})]), RUNNING, RUNNING, ENDED)).toBe(
      [
        'wave 1  users running: 2 entities, 0 relationships',
        'wave 1  users failed in 5 ms, attempt 2: no [2Jentry',
        'total   failed: 3 entities, 1 relationship, 0 mapped',
        '',
      ].join('\n'),
    );
  });

  it('says how far a step is and what is left, as far as the source says it', () => {
    const running = { status: 'running', entities: 2 } as const;
    const of = (more: Partial<StepReport>) => shown(false, run([step({ ...running, ...more })]));

    expect(of({ done: 30, total: 90, remaining_ms: 11_200 })).toContain(
      'users running: 2 entities, 0 relationships, 30 of 90, 12 s left\n',
    );
    expect(of({ done: 30 })).toContain('0 relationships, 30\n');
  });

  it('redraws in place on a terminal', () => {
    const text = shown(true, RUNNING, ENDED);

    expect(text).toContain('users running: 2 entities, 0 relationships\n  total   collecting');
    expect(text).toContain('\u001b[2A\u001b[0J  wave 1  users failed');
  });
});
