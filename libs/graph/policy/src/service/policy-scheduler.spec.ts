import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ChangeLog, UNSHARED } from '#graph/engine';
import { parseRules } from '../rule/parse-rules.ts';
import { jsonSource } from '../rule/rule-source.ts';
import { Policies } from './policies.ts';
import { PolicyScheduler } from './policy-scheduler.ts';

const START_MS = Date.UTC(2026, 5, 1, 12, 30);
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const LOG = { info: () => undefined, warn: () => undefined, error: () => undefined };

const rulesOf = (...schedules: (string | undefined)[]) =>
  parseRules(
    jsonSource({ rules: schedules.map((schedule, i) => ({ id: `r${i}`, query: 'FIND host', schedule })) }),
  );

describe('PolicyScheduler', () => {
  let policies: Policies;
  let scheduler: PolicyScheduler;
  let runs: string[];

  beforeEach(async () => {
    jest.useFakeTimers({ now: START_MS });
    runs = [];
    policies = await Policies.open({
      documents: {
        ...UNSHARED,
        change: () => Promise.resolve(),
        get: () => Promise.resolve(undefined),
        all: async function* () {
          yield* [];
        },
      },
      graph: {
        changedVersion: 1,
        changes: new ChangeLog(),
        snapshot: () => ({ snapshotVersion: 1, share: () => undefined, release: () => undefined }),
      },
      evaluator: {
        run: (tasks) => {
          runs.push(
            `${new Date().toISOString().slice(11, 16)} ${tasks.map(({ rule }) => rule.id).join(' ')}`,
          );
          return Promise.resolve([]);
        },
      },
      log: LOG,
    });
    scheduler = new PolicyScheduler({ policies, log: LOG });
    scheduler.start();
  });
  afterEach(() => {
    scheduler.stop();
    jest.useRealTimers();
  });

  it('does not run rules without a schedule', async () => {
    await policies.rules.change(rulesOf(undefined, 'manual'), 'replace');

    await jest.advanceTimersByTimeAsync(48 * HOUR_MS);
    scheduler.synced('ldap');

    expect(runs).toEqual([]);
  });

  it('sets no timer for rules without a schedule, or after stop', async () => {
    await policies.rules.change(rulesOf('manual'), 'replace');
    const idle = jest.getTimerCount();
    await policies.rules.change(rulesOf('every:1h'), 'replace');
    const planned = jest.getTimerCount();

    scheduler.stop();
    await policies.rules.change(rulesOf('every:2h'), 'replace');

    expect([idle, planned, jest.getTimerCount()]).toEqual([0, 1, 0]);
  });

  it('runs rules at intervals, with those due at the same time in one evaluation', async () => {
    await policies.rules.change(rulesOf('every:1h', 'every:30m'), 'replace');

    await jest.advanceTimersByTimeAsync(HOUR_MS);

    expect(runs).toEqual(['13:00 r1', '13:30 r0 r1']);
  });

  it('runs rules at the times of a cron expression, in UTC', async () => {
    await policies.rules.change(rulesOf('cron:15 13 * * *'), 'replace');

    await jest.advanceTimersByTimeAsync(49 * HOUR_MS);

    expect(runs).toEqual(['13:15 r0', '13:15 r0', '13:15 r0']);
  });

  it('runs rules after the syncs of their connector', async () => {
    await policies.rules.change(rulesOf('on_sync:ldap', 'on_sync:postgres'), 'replace');

    scheduler.synced('ldap');
    await jest.advanceTimersByTimeAsync(1);

    expect(runs).toEqual(['12:30 r0']);
  });

  it('runs rules for any connector after each sync', async () => {
    await policies.rules.change(rulesOf('on_sync:*', 'on_sync:postgres', 'manual'), 'replace');

    scheduler.synced('ldap');
    await jest.advanceTimersByTimeAsync(1);
    scheduler.synced('a client of its own');
    await jest.advanceTimersByTimeAsync(1);

    expect(runs).toEqual(['12:30 r0', '12:30 r0']);
  });

  it('runs the rules of any number of syncs during an evaluation once more after it', async () => {
    await policies.rules.change(rulesOf('on_sync:*', 'on_sync:postgres'), 'replace');

    for (let sync = 0; sync < 50; sync++) scheduler.synced(`c${String(sync)}`);
    scheduler.synced('postgres');
    await jest.advanceTimersByTimeAsync(1);

    expect(runs).toEqual(['12:30 r0', '12:30 r0 r1']);
  });

  it('keeps the due times of rules with an unchanged schedule', async () => {
    await policies.rules.change(rulesOf('every:1h'), 'replace');
    await jest.advanceTimersByTimeAsync(40 * MINUTE_MS);
    await policies.rules.change(rulesOf('every:1h', 'every:2h'), 'replace');

    await jest.advanceTimersByTimeAsync(20 * MINUTE_MS);

    expect(runs).toEqual(['13:30 r0']);
  });

  it('runs nothing after stop', async () => {
    await policies.rules.change(rulesOf('every:1h'), 'replace');
    scheduler.stop();

    await jest.advanceTimersByTimeAsync(2 * HOUR_MS);

    expect(runs).toEqual([]);
  });
});
