import { afterEach, describe, expect, it } from '@jest/globals';
import { snapshotOf } from '#graph/memory';
import { FIXTURE } from '#graph/testing';
import { Thread } from '#platform/threads';
import type { RuleTask } from '../evaluation/outcome.ts';
import { EvaluationPool } from '../pool/evaluation-pool.ts';
import type { EvaluationWorker } from '../pool/evaluation-order.ts';
import { parseRule } from '../rule/parse-rules.ts';
import { jsonSource } from '../rule/rule-source.ts';
import { startEvaluationWorker } from './evaluation-thread.ts';

const AT_MS = Date.UTC(2026, 0, 2);

function taskOf(query: string, task: Partial<RuleTask> = {}): RuleTask {
  const rule = parseRule(jsonSource({ id: 'r', query }));
  return { rule, params: {}, violationsMax: 10, timeoutMs: 30_000, nowMs: AT_MS, ...task };
}

/** A thread that attaches, claims a task, and then fails in this way instead of evaluating it. */
function threadThat(act: 'falls silent' | 'ends'): EvaluationWorker {
  return new Thread({ url: new URL('../../test/faulty-evaluation-worker.ts', import.meta.url), setup: act });
}

describe('a pool of evaluation threads', () => {
  const pools: EvaluationPool[] = [];
  /** Starts these threads first, and then working ones. */
  const poolOf = (threads: number, first: readonly EvaluationWorker[] = [], graceMs = 1_000) => {
    const next = first.values();
    const startWorker = () => next.next().value ?? startEvaluationWorker();
    const pool = new EvaluationPool({ startWorker, threads, graceMs });
    pools.push(pool);
    return pool;
  };
  afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close())));

  it.each([1, 2])('with %i threads returns the outcome of each task in order', async (threads) => {
    const shared = snapshotOf(FIXTURE, AT_MS).share();
    const queries = [
      'FIND host',
      'FIND user',
      "FIND Host WITH env = 'dev'",
      'FIND service',
      'FIND spaceship',
    ];

    const outcomes = await poolOf(threads).run(
      queries.map((query) => taskOf(query)),
      shared,
    );

    expect(outcomes.map(({ violationCount }) => violationCount)).toEqual([4, 3, 2, 2, 0]);
    expect(outcomes[2]?.violations.map(({ key }) => key)).toEqual(['i-9', 'win-01']);
  });

  it('evaluates each run on its own snapshot', async () => {
    const pool = poolOf(1);
    const { entities } = FIXTURE;
    const before = snapshotOf({ entities: entities.slice(0, 2), relationships: [] }, AT_MS);

    const first = await pool.run([taskOf('FIND *')], before.share());
    const second = await pool.run([taskOf('FIND *')], snapshotOf(FIXTURE, AT_MS).share());

    expect([first[0]?.violationCount, second[0]?.violationCount]).toEqual([2, entities.length]);
  });

  it('starts at most one thread per task', async () => {
    let started = 0;
    const startWorker = () => {
      started++;
      return startEvaluationWorker();
    };
    const pool = new EvaluationPool({ startWorker, threads: 4 });
    pools.push(pool);

    await pool.run([taskOf('FIND host')], snapshotOf(FIXTURE, AT_MS).share());

    expect(started).toBe(1);
  });

  it('replaces a thread that has ended between two runs', async () => {
    const first = startEvaluationWorker();
    const pool = poolOf(1, [first]);
    const shared = snapshotOf(FIXTURE, AT_MS).share();
    const before = await pool.run([taskOf('FIND host')], shared);

    await first.terminate();
    const after = await pool.run([taskOf('FIND host')], shared);

    expect([before, after].map(([outcome]) => outcome?.violationCount)).toEqual([4, 4]);
  });

  it('fails one rule when a thread does not answer, and continues with a new thread', async () => {
    const pool = poolOf(1, [threadThat('falls silent')], -30_000);
    const shared = snapshotOf(FIXTURE, AT_MS).share();

    const [stuck] = await pool.run([taskOf('FIND host')], shared);
    const [fine] = await pool.run([taskOf('FIND host', { timeoutMs: 60_000 })], shared);

    expect(stuck).toMatchObject({ status: 'Error', error: 'stopped: no answer after 0 ms' });
    expect(fine).toMatchObject({ status: 'Fail', violationCount: 4 });
  });

  it('fails one rule when a thread ends, and continues with a new thread', async () => {
    const pool = poolOf(1, [threadThat('ends')]);
    const shared = snapshotOf(FIXTURE, AT_MS).share();
    const tasks = Array.from({ length: 20 }, () => taskOf('FIND host'));

    const outcomes = await pool.run(tasks, shared);

    const failed = outcomes.filter(({ status }) => status === 'Error');
    expect(failed.map(({ error }) => error)).toEqual(['stopped: the thread ended with code 7']);
    expect(outcomes.filter(({ violationCount }) => violationCount === 4)).toHaveLength(19);
  });

  it('ends if no thread can attach the snapshot, each failing one rule', async () => {
    const outcomes = await poolOf(1).run([taskOf('FIND host'), taskOf('FIND user')], 'no snapshot');

    expect(outcomes.map(({ status }) => status)).toEqual(['Error', 'Error']);
  });
});
