import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { clusterConfig, ClusterWorld, leaseOf } from '../../test/cluster-world.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Lease } from '../cluster/lease.ts';
import type { TrafficSnapshot } from '../plane/data-plane.port.ts';
import { sumTraffic, withoutGauges } from './traffic-sums.ts';

const WORKERS = 3;
const ENDPOINTS = 2;
const request = fc.record({
  worker: fc.nat({ max: WORKERS - 1 }),
  endpoint: fc.nat({ max: ENDPOINTS - 1 }),
  status: fc.constantFrom(200, 404, 503),
  ms: fc.integer({ min: 0, max: 40_000 }),
  isOpen: fc.boolean(),
});
type Request = typeof request extends fc.Arbitrary<infer Value> ? Value : never;

/** A lease on the endpoint with this index. */
function leaseOn(cluster: Cluster, endpoint: number): Lease {
  const setDisabled = (isDisabled: boolean): void => {
    for (const [index, target] of cluster.targets.entries())
      target.isDisabled = isDisabled && index !== endpoint;
    cluster.refresh();
  };
  setDisabled(true);
  const lease = leaseOf(cluster.acquire(''));
  setDisabled(false);
  return lease;
}

/** The snapshot of a process that has served these requests. */
async function trafficOf(requests: readonly Request[]): Promise<TrafficSnapshot> {
  const world = new ClusterWorld();
  const cluster = await world.configure(clusterConfig(ENDPOINTS));
  for (const { endpoint, status, ms, isOpen } of requests) {
    const lease = leaseOn(cluster, endpoint);
    await world.timers.turn(ms);
    if (!isOpen) lease.release(status < 500 ? 'success' : 'status_5xx', status);
    // Everything falls into one minute for the quantiles.
    await world.timers.turn(60_000 - ms);
  }
  const { clusters } = world;
  return {
    downstreamCxTotal: requests.length,
    downstreamCxActive: requests.filter(({ isOpen }) => isOpen).length,
    listeners: [],
    removedListeners: [],
    drain: { cutConnections: 0, cutRequests: 0 },
    clusters: clusters.snapshot(),
    breakerRejections: clusters.breakerRejections(),
    workers: undefined,
  };
}

const countsOf = ({ clusters }: TrafficSnapshot): unknown =>
  clusters.map(({ endpoints, breaker }) => [
    Object.values(breaker).map(({ used }) => used),
    endpoints.map(({ address, activeRequests, requestsTotal, requestsByClass, durations, targets }) => [
      [address, activeRequests, requestsTotal, requestsByClass],
      [durations?.count, durations?.sumSeconds.toFixed(3), durations?.buckets],
      targets.map((target) => [target.address, target.activeRequests]),
    ]),
  ]);

describe('sumTraffic', () => {
  it('equals the counts of one process for all requests', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(request, { maxLength: 20 }), async (requests) => {
        const whole = await trafficOf(requests);
        const [idle, ...parts] = await Promise.all(
          [-1, 0, 1, 2].map((worker) => trafficOf(requests.filter((each) => each.worker === worker))),
        );

        const sum = sumTraffic([withoutGauges(idle ?? whole), ...parts], 'first');

        expect(countsOf(sum)).toEqual(countsOf(whole));
        expect(sum).toMatchObject({
          downstreamCxTotal: whole.downstreamCxTotal,
          downstreamCxActive: whole.downstreamCxActive,
        });
      }),
      { numRuns: 30 },
    );
  });

  it('keeps the counters of an ended process, and none of its gauges', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 20 }), async (requests) => {
        const traffic = await trafficOf(requests);

        const { downstreamCxTotal, downstreamCxActive, clusters } = withoutGauges(traffic);

        const endpoints = clusters.flatMap((cluster) => cluster.endpoints);
        const total = endpoints.reduce((sum, { requestsTotal }) => sum + requestsTotal, 0);
        expect([downstreamCxTotal, downstreamCxActive, total]).toEqual([requests.length, 0, requests.length]);
        expect(endpoints.map(({ activeRequests }) => activeRequests)).toEqual([0, 0]);
        expect(clusters[0]?.breaker.max_requests).toMatchObject({ used: 0, limit: 0 });
      }),
      { numRuns: 30 },
    );
  });
});
