import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type LastSync, Ticks, UNSHARED } from '#graph/engine';
import { ChangeLog } from '#graph/memory';
import { DomainError, systemClock } from '#platform/foundation';
import { parseRules } from '../rule/parse-rules.ts';
import { jsonSource } from '../rule/rule-source.ts';
import { Policies } from './policies.ts';
import { PolicyScheduler, type ScheduledGraph } from './policy-scheduler.ts';

const START_MS = Date.UTC(2026, 5, 1, 12, 30);
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const LOG = { info: () => undefined, warn: () => undefined, error: () => undefined };

const rulesOf = (...schedules: (string | undefined)[]) =>
  parseRules(
    jsonSource({ rules: schedules.map((schedule, i) => ({ id: `r${i}`, query: 'FIND host', schedule })) }),
  );

/** Ticks that survive a process, and the syncs and the election that the test makes. */
class GraphOfTest implements ScheduledGraph {
  readonly #stored = new Map<string, unknown>();
  readonly ticks = new Ticks({
    isShared: false,
    documents: {
      exclusively: UNSHARED.exclusively,
      change: async (_namespace, changes) => {
        if (this.isFull) throw new DomainError('NO_DISK_SPACE', 'the disk is full');
        for (const { id, value } of changes) {
          if (value === undefined) this.#stored.delete(id);
          else this.#stored.set(id, value);
        }
      },
      all: (_namespace, prefix = '') => this.#all(prefix),
    },
  });
  readonly leadership = { isLeader: true, onElected: (listener: () => void) => this.#elected.push(listener) };
  readonly #elected: (() => void)[] = [];
  readonly #listeners: (() => void)[] = [];
  readonly #syncs = new Map<string, LastSync>();
  #count = 0;
  isFull = false;

  lastSyncs(): readonly LastSync[] {
    return [...this.#syncs.values()];
  }

  onSynced(listener: () => void): void {
    this.#listeners.push(listener);
  }

  synced(connectorId: string): void {
    const mark = { sync_id: String(this.#count++), synced_at: new Date().toISOString() };
    this.#syncs.set(connectorId, { connector_id: connectorId, ...mark } as LastSync);
    for (const listener of this.#listeners) listener();
  }

  elect(): void {
    this.leadership.isLeader = true;
    for (const listener of this.#elected) listener();
  }

  async *#all(prefix: string): AsyncGenerator<{ id: string; value: unknown }> {
    for (const [id, value] of this.#stored) if (id.startsWith(prefix)) yield { id, value };
  }
}

describe('PolicyScheduler', () => {
  let graph: GraphOfTest;
  let policies: Policies;
  let scheduler: PolicyScheduler;
  let runs: string[];
  /** The end of each evaluation. */
  let evaluated: Promise<void>;
  let begun: (() => void)[];

  beforeEach(async () => {
    jest.useFakeTimers({ now: START_MS });
    runs = [];
    evaluated = Promise.resolve();
    begun = [];
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
          return evaluated.then(() => []);
        },
      },
      log: LOG,
    });
    graph = new GraphOfTest();
    scheduler = new PolicyScheduler(policies, graph, systemClock, LOG);
    scheduler.start();
    await jest.advanceTimersByTimeAsync(0);
  });
  afterEach(async () => {
    await scheduler.stop();
    jest.useRealTimers();
  });

  it('does not run rules without a schedule', async () => {
    await policies.rules.change(rulesOf(undefined, 'manual'), 'replace');

    await jest.advanceTimersByTimeAsync(48 * HOUR_MS);
    graph.synced('ldap');

    expect(runs).toEqual([]);
  });

  it('sets no timer for rules without a schedule, or after stop', async () => {
    await policies.rules.change(rulesOf('manual'), 'replace');
    const idle = jest.getTimerCount();
    await policies.rules.change(rulesOf('every:1h'), 'replace');
    await jest.advanceTimersByTimeAsync(0);
    const planned = jest.getTimerCount();

    await scheduler.stop();
    await policies.rules.change(rulesOf('every:2h'), 'replace');
    await jest.advanceTimersByTimeAsync(0);

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
    await jest.advanceTimersByTimeAsync(0);

    graph.synced('ldap');
    await jest.advanceTimersByTimeAsync(1);

    expect(runs).toEqual(['12:30 r0']);
  });

  it('runs rules for any connector after each sync', async () => {
    await policies.rules.change(rulesOf('on_sync:*', 'on_sync:postgres', 'manual'), 'replace');
    await jest.advanceTimersByTimeAsync(0);

    graph.synced('ldap');
    await jest.advanceTimersByTimeAsync(1);
    graph.synced('a client of its own');
    await jest.advanceTimersByTimeAsync(1);

    expect(runs).toEqual(['12:30 r0', '12:30 r0']);
  });

  it('runs the rules of any number of syncs during an evaluation once more after it', async () => {
    await policies.rules.change(rulesOf('on_sync:*', 'on_sync:postgres'), 'replace');
    await jest.advanceTimersByTimeAsync(0);

    evaluated = new Promise((resolve) => {
      begun.push(resolve);
    });
    graph.synced('first');
    await jest.advanceTimersByTimeAsync(1);
    for (let sync = 0; sync < 50; sync++) graph.synced(`c${String(sync)}`);
    graph.synced('postgres');
    begun[0]?.();
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

  /** What another process does that starts, or is elected, after this one. */
  const replaced = async (ms: number, isElectedLater = false): Promise<void> => {
    await jest.advanceTimersByTimeAsync(0);
    await scheduler.stop();
    await jest.advanceTimersByTimeAsync(ms);
    graph.leadership.isLeader = !isElectedLater;
    scheduler = new PolicyScheduler(policies, graph, systemClock, LOG);
    scheduler.start();
    await jest.advanceTimersByTimeAsync(0);
    if (isElectedLater) graph.elect();
    await jest.advanceTimersByTimeAsync(0);
  };

  it.each([
    ['the next process', false],
    ['the next leader', true],
  ])('runs the missed times of a cron expression once, in %s', async (_case, isElectedLater) => {
    await policies.rules.change(rulesOf('cron:*/15 * * * *', 'cron:0 9 * * *'), 'replace');
    await replaced(50 * MINUTE_MS, isElectedLater);
    await jest.advanceTimersByTimeAsync(15 * MINUTE_MS);

    expect(runs).toEqual(['13:20 r0', '13:30 r0']);
  });

  it('counts an interval from the last tick, whichever process had it', async () => {
    await policies.rules.change(rulesOf('every:1h'), 'replace');
    await jest.advanceTimersByTimeAsync(HOUR_MS);
    await replaced(40 * MINUTE_MS);
    await jest.advanceTimersByTimeAsync(20 * MINUTE_MS);
    await replaced(150 * MINUTE_MS);
    await jest.advanceTimersByTimeAsync(30 * MINUTE_MS);

    expect(runs).toEqual(['13:30 r0', '14:30 r0', '17:00 r0', '17:30 r0']);
  });

  it('runs the rules of a sync that no leading process has seen, once', async () => {
    await policies.rules.change(rulesOf('on_sync:*', 'on_sync:ldap', 'on_sync:other'), 'replace');
    await jest.advanceTimersByTimeAsync(0);
    graph.synced('other');
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    graph.leadership.isLeader = false;
    graph.synced('ldap');
    await replaced(MINUTE_MS, true);
    await replaced(MINUTE_MS, true);

    expect(runs).toEqual(['12:30 r0 r2', '12:32 r0 r1']);
  });

  it('begins anew with a changed schedule, and with a rule that was off', async () => {
    await policies.rules.change(rulesOf('every:1h', 'every:1h'), 'replace');
    await replaced(30 * MINUTE_MS);
    await policies.rules.change(rulesOf('every:2h'), 'replace');
    await jest.advanceTimersByTimeAsync(HOUR_MS);
    await policies.rules.change(rulesOf('every:2h', 'every:1h'), 'replace');
    await jest.advanceTimersByTimeAsync(HOUR_MS);

    expect(runs).toEqual(['15:00 r0 r1']);
  });

  it('runs on time though a full disk takes no ticks', async () => {
    await policies.rules.change(rulesOf('every:1h'), 'replace');
    await jest.advanceTimersByTimeAsync(0);
    graph.isFull = true;
    await jest.advanceTimersByTimeAsync(2 * HOUR_MS);
    graph.isFull = false;
    await jest.advanceTimersByTimeAsync(HOUR_MS);
    await replaced(HOUR_MS);

    expect(runs).toEqual(['13:30 r0', '14:30 r0', '15:30 r0', '16:30 r0']);
  });

  it('does not wait for a tick that a wrong clock has stored far ahead', async () => {
    jest.useFakeTimers({ now: START_MS + 1_000 * HOUR_MS });
    await policies.rules.change(rulesOf('every:1h'), 'replace');
    await jest.advanceTimersByTimeAsync(0);
    await scheduler.stop();
    jest.useFakeTimers({ now: START_MS });
    await replaced(0);
    await jest.advanceTimersByTimeAsync(HOUR_MS);

    expect(runs).toEqual(['13:30 r0']);
  });

  it('does not miss a sync after a new rule that waits for the end of an evaluation', async () => {
    await policies.rules.change(rulesOf('every:1h'), 'replace');
    await jest.advanceTimersByTimeAsync(0);
    evaluated = new Promise((resolve) => {
      begun.push(resolve);
    });
    await jest.advanceTimersByTimeAsync(HOUR_MS);
    await policies.rules.change(rulesOf('every:1h', 'on_sync:ldap'), 'replace');
    graph.synced('ldap');
    begun[0]?.();
    await jest.advanceTimersByTimeAsync(3 * HOUR_MS);

    expect(runs).toEqual(['13:30 r0', '13:30 r1', '14:30 r0', '15:30 r0', '16:30 r0']);
  });

  it('runs nothing after stop', async () => {
    await policies.rules.change(rulesOf('every:1h'), 'replace');
    await scheduler.stop();

    await jest.advanceTimersByTimeAsync(2 * HOUR_MS);

    expect(runs).toEqual([]);
  });
});
