import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseStoreAddress, SharedStore } from '#graph/cluster';
import { Graph } from '#graph/engine';
import { InlineJobRunner } from '#graph/storage';
import { entity, PostgresServer } from '#graph/testing';
import { NodeDisk } from '#platform/disk';
import { pause, Secret, systemClock } from '#platform/foundation';
import { parseRules } from '../src/rule/parse-rules.ts';
import { jsonSource } from '../src/rule/rule-source.ts';
import { Policies } from '../src/service/policies.ts';
import { PolicyScheduler } from '../src/service/policy-scheduler.ts';

const LOG = { info: () => undefined, warn: () => undefined, error: () => undefined };
const START_MS = Date.UTC(2026, 5, 1, 12, 30);
const MINUTE_MS = 60_000;
const RULES = ['cron:0 13 * * *', 'every:1h', 'on_sync:*', 'on_sync:ldap'].map((schedule, at) => ({
  id: `r${String(at)}`,
  query: 'FIND host',
  schedule,
}));

/** A process with a graph, and the rules that it has evaluated. */
interface Process {
  readonly graph: Graph;
  readonly policies: Policies;
  readonly ran: string[];
  readonly end: () => Promise<void>;
}

/** All processes of a test share the clock, which the test turns. */
class TurnedTime {
  ms = START_MS;
  readonly clock = { ...systemClock, nowMs: () => this.ms };

  async begin(graph: Graph): Promise<Process> {
    const ran: string[] = [];
    const policies = await Policies.open({
      documents: graph.documents,
      graph,
      log: LOG,
      clock: this.clock,
      evaluator: {
        run: async (tasks) => {
          ran.push(...tasks.map(({ rule }) => rule.id));
          return [];
        },
      },
    });
    const scheduler = new PolicyScheduler(policies, graph, this.clock, LOG);
    scheduler.start();
    const end = async (): Promise<void> => {
      await scheduler.stop();
      await graph.close();
    };
    return { graph, policies, ran, end };
  }
}

async function synced(graph: Graph, connectorId: string): Promise<void> {
  const entities = [entity('host', 'Host', connectorId)];
  await graph.sync({ connectorId, syncId: connectorId, mode: 'diff', entities, relationships: [] });
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await pause(5);
}

/** Resolves when the ticks of all rules are stored. */
async function planned({ graph }: Process): Promise<void> {
  await until(async () => {
    const ids: string[] = [];
    for await (const { id } of graph.documents.all('tick')) ids.push(id);
    return ids.length === RULES.length;
  });
}

describe('schedules of rules', () => {
  let server: PostgresServer;
  let directory: string;
  const disk = new NodeDisk();

  beforeAll(async () => {
    server = await PostgresServer.start();
    directory = await mkdtemp(join(tmpdir(), 'plexus-schedules-'));
  });
  afterAll(async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const openShared = async (node: string): Promise<Graph> => {
    const url = `postgres://postgres@127.0.0.1:${String(server.port)}/postgres`;
    const store = await SharedStore.open({
      address: parseStoreAddress(url, new Secret(server.password)),
      schema: 'plexus',
      node,
      startPatienceMs: 0,
      log: LOG,
      copy: {
        disk,
        directory: join(directory, node),
        log: LOG,
        clock: systemClock,
        jobs: new InlineJobRunner(disk),
      },
    });
    return Graph.over(store, { log: LOG, memory: { sealIdleMs: 0 } });
  };
  const openLocal = (): Promise<Graph> =>
    Graph.open({
      disk,
      directory: join(directory, 'local'),
      log: LOG,
      storage: { jobs: new InlineJobRunner(disk) },
      memory: { sealIdleMs: 0 },
    });

  it('go on with the next leader, which runs what the last one has missed once', async () => {
    const time = new TurnedTime();
    const first = await time.begin(await openShared('a'));
    await until(() => first.graph.leadership.isLeader);
    await first.policies.rules.change(parseRules(jsonSource({ rules: RULES })), 'replace');
    await planned(first);
    const second = await time.begin(await openShared('b'));
    const third = await time.begin(await openShared('c'));
    // The leader ends with the sync, before its rules are evaluated.
    await first.graph.leases.release('leader');
    time.ms += 45 * MINUTE_MS;
    await synced(first.graph, 'ldap');
    await first.end();

    const others = [second, third];
    await until(() => others.some(({ graph }) => graph.leadership.isLeader));
    const [leader, last] = second.graph.leadership.isLeader ? [second, third] : [third, second];
    await until(() => leader.ran.length === 3);
    time.ms += 20 * MINUTE_MS;
    await leader.end();
    await until(() => last.ran.length > 0);
    await synced(last.graph, 'scan');
    await until(() => last.ran.length > 1);
    await last.end();

    expect([first, leader, last].map(({ ran }) => ran)).toEqual([[], ['r0', 'r2', 'r3'], ['r1', 'r2']]);
  });

  it('go on after a restart of the only process', async () => {
    const time = new TurnedTime();
    const first = await time.begin(await openLocal());
    await first.policies.rules.change(parseRules(jsonSource({ rules: RULES })), 'replace');
    await planned(first);
    await first.end();
    const loaded = await openLocal();
    await synced(loaded, 'ldap');
    await loaded.close();

    time.ms += 45 * MINUTE_MS;
    const second = await time.begin(await openLocal());
    await until(() => second.ran.length === 3);
    await second.end();
    time.ms += 20 * MINUTE_MS;
    const third = await time.begin(await openLocal());
    await until(() => third.ran.length > 0);
    await third.end();

    expect([second, third].map(({ ran }) => ran)).toEqual([['r0', 'r2', 'r3'], ['r1']]);
  });
});
