import { describe, expect, it } from '@jest/globals';
import { clusterConfig, ClusterWorld, leaseOf } from '../../test/cluster-world.ts';
import type { OutlierDetectionConfig } from '../config/proxy-config.ts';
import type { Cluster } from './cluster.ts';
import type { Outcome } from './target/endpoint-counters.ts';

const outlierDetection = (changes: Partial<OutlierDetectionConfig> = {}): OutlierDetectionConfig => {
  return {
    consecutive5xx: 3,
    consecutiveConnectFailures: 2,
    baseEjectionTimeMs: 30_000,
    maxEjectionPercent: 10,
    ...changes,
  };
};

/** Ends requests on the target with this number with these outcomes, until it is ejected. */
function end(cluster: Cluster, number: number, outcomes: readonly Outcome[]): void {
  const left = [...outcomes];
  for (let request = 0; request < 1_000 && left.length > 0; request++) {
    const lease = leaseOf(cluster.acquire(''));
    const isWanted = lease.target.ip === `10.0.0.${number}`;
    lease.release(isWanted ? (left.shift() ?? 'success') : 'client_gone');
  }
}

const bad = (count: number): Outcome[] => Array.from({ length: count }, () => 'status_5xx');
const ejected = (cluster: Cluster): string[] =>
  cluster.targets.filter(({ isEjected }) => isEjected).map(({ ip }) => ip);

describe('the reason of an ejection', () => {
  it.each([
    [1, '1 bad answer'],
    [2, '2 bad answers in a row'],
  ])('counts %d', async (consecutive5xx, reason) => {
    const world = new ClusterWorld();
    const limits = { consecutiveConnectFailures: 9, baseEjectionTimeMs: 1_000, maxEjectionPercent: 100 };
    const cluster = await world.configure(
      clusterConfig(2, { outlierDetection: { ...limits, consecutive5xx } }),
    );

    end(cluster, 1, bad(consecutive5xx));

    expect(world.eventsOf('endpoint_ejected')).toMatchObject([{ reason }]);
  });
});

describe('OutlierDetector', () => {
  it.each<[string, Outcome[], boolean]>([
    ['answers of 500 and above', ['status_5xx', 'status_5xx', 'status_5xx'], true],
    ['resets and time-outs too', ['status_5xx', 'reset', 'timeout'], true],
    ['failed connections', ['connect_failure', 'connect_failure'], true],
    ['a good answer in between', ['status_5xx', 'status_5xx', 'success', 'status_5xx'], false],
    ['a connection that came about in between', ['connect_failure', 'status_5xx', 'connect_failure'], false],
    ['clients that hung up', ['client_gone', 'client_gone', 'client_gone', 'client_gone'], false],
    [
      'requests that the proxy itself could not send',
      ['not_sent', 'not_sent', 'not_sent', 'not_sent'],
      false,
    ],
    ['a request that was not sent, in between', ['status_5xx', 'status_5xx', 'not_sent', 'status_5xx'], true],
    ['a client that hung up in between', ['status_5xx', 'status_5xx', 'client_gone', 'status_5xx'], true],
    ['a failed connection in between', ['status_5xx', 'status_5xx', 'connect_failure', 'status_5xx'], true],
  ])('judges %s', async (_, outcomes, isEjected) => {
    const cluster = await new ClusterWorld().configure(
      clusterConfig(2, { outlierDetection: outlierDetection() }),
    );

    end(cluster, 1, outcomes);

    expect(ejected(cluster)).toEqual(isEjected ? ['10.0.0.1'] : []);
  });

  it('ejects a target for its time, and reports why', async () => {
    const world = new ClusterWorld();
    const cluster = await world.configure(clusterConfig(2, { outlierDetection: outlierDetection() }));
    const startMs = world.timers.nowMs();

    end(cluster, 1, bad(3));
    const targets = Array.from({ length: 4 }, () => leaseOf(cluster.acquire('')).target.ip);
    const [during] = cluster.snapshot().endpoints;
    await world.timers.turn(30_000);
    const [after] = cluster.snapshot().endpoints;

    expect(targets).toEqual(['10.0.0.2', '10.0.0.2', '10.0.0.2', '10.0.0.2']);
    expect(during).toMatchObject({
      healthy: false,
      isEjected: true,
      ejectedUntilMs: startMs + 30_000,
      ejections: 1,
    });
    expect(after).toMatchObject({ healthy: true, isEjected: false, ejectedUntilMs: undefined, ejections: 1 });
    expect(world.eventsOf('endpoint_ejected')).toMatchObject([
      { cluster: 'api', address: '10.0.0.1:80', target: '10.0.0.1:80', reason: '3 bad answers in a row' },
    ]);
    expect(world.eventsOf('endpoint_returned')).toMatchObject([
      { at: startMs + 30_000, target: '10.0.0.1:80' },
    ]);
  });

  it('ejects longer each time, and forgives one ejection for each base time in service', async () => {
    const world = new ClusterWorld();
    const cluster = await world.configure(clusterConfig(2, { outlierDetection: outlierDetection() }));
    const ejectionMs = async (serviceMs: number): Promise<number> => {
      await world.timers.turn(serviceMs);
      end(cluster, 1, bad(3));
      const ms = cluster.targets[0]!.ejectedUntilMs - world.timers.nowMs();
      await world.timers.turn(ms);
      return ms;
    };

    expect(await ejectionMs(0)).toBe(30_000);
    expect(await ejectionMs(10_000)).toBe(60_000);
    expect(await ejectionMs(10_000)).toBe(90_000);
    expect(await ejectionMs(65_000)).toBe(60_000);
    expect(await ejectionMs(1_000_000)).toBe(30_000);
    for (let times = 0; times < 12; times++) await ejectionMs(0);
    expect(await ejectionMs(0)).toBe(300_000);
  });

  it('respects the share of ejected targets, but may eject one unless it is 0', async () => {
    const atMost = async (count: number, maxEjectionPercent: number): Promise<number> => {
      const config = clusterConfig(count, { outlierDetection: outlierDetection({ maxEjectionPercent }) });
      const cluster = await new ClusterWorld().configure(config);
      for (const { ip } of cluster.targets) {
        for (let request = 0; request < count * 3; request++) {
          const lease = leaseOf(cluster.acquire(''));
          lease.release(lease.target.ip === ip ? 'status_5xx' : 'client_gone');
        }
      }
      return ejected(cluster).length;
    };

    expect(await atMost(4, 0)).toBe(0);
    expect(await atMost(4, 1)).toBe(1);
    expect(await atMost(10, 10)).toBe(1);
    expect(await atMost(10, 29)).toBe(2);
    expect(await atMost(4, 50)).toBe(2);
  });

  it('never ejects the last available target', async () => {
    const world = new ClusterWorld();
    const config = clusterConfig(2, { outlierDetection: outlierDetection({ maxEjectionPercent: 100 }) });
    const cluster = await world.configure(config);

    end(cluster, 1, bad(3));
    end(cluster, 2, bad(10));

    expect(ejected(cluster)).toEqual(['10.0.0.1']);
    await world.timers.turn(30_000);
    end(cluster, 2, bad(1));
    expect(ejected(cluster)).toEqual(['10.0.0.2']);
  });

  it('returns all targets when it is turned off, and runs no timer for removed ones', async () => {
    const world = new ClusterWorld();
    const config = clusterConfig(3, { outlierDetection: outlierDetection({ maxEjectionPercent: 100 }) });
    const cluster = await world.configure(config);
    end(cluster, 1, bad(3));
    end(cluster, 2, bad(3));

    await world.configure({ ...config, endpoints: config.endpoints.slice(1) });
    expect(world.timers.pending).toBe(1);
    await world.configure({ ...config, endpoints: config.endpoints.slice(1), outlierDetection: undefined });

    expect(ejected(cluster)).toEqual([]);
    expect(world.timers.pending).toBe(0);
    expect(cluster.available).toHaveLength(2);
    end(cluster, 2, bad(5));
    expect(ejected(cluster)).toEqual([]);
  });
});
