import { describe, expect, it } from '@jest/globals';
import type { Dispatcher } from 'undici';
import { clusterConfig, ClusterWorld, leaseOf } from '../../test/cluster-world.ts';
import type { Outcome } from '../cluster/target/endpoint-counters.ts';
import type { FailureReason } from '../source/upstream-failure.ts';
import { UpstreamAttempt, type AttemptOwner } from './attempt.ts';
import { type UpstreamConnection, UpstreamPool } from './upstream-pool.ts';

const CONTROLLER: Dispatcher.DispatchController = {
  aborted: false,
  paused: false,
  reason: null,
  abort: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
};

/** Records the connection that it returns. */
class WatchedPool extends UpstreamPool {
  given: UpstreamConnection | undefined;

  override make(): UpstreamConnection {
    this.given = super.make();
    return this.given;
  }
}

type Reported = readonly [Outcome, FailureReason | undefined];

/** What an attempt reports when its socket fails with this code, before or after its request is sent. */
async function reportedOf(code: string, isSent: boolean): Promise<Reported | undefined> {
  const config = clusterConfig(1);
  const world = new ClusterWorld();
  const lease = leaseOf((await world.configure(config)).acquire(''));
  const pool = new WatchedPool(lease.target, config, world.timers);
  let told: Reported | undefined;
  const owner: AttemptOwner = {
    informed: () => undefined,
    headed: () => undefined,
    received: () => undefined,
    ended: () => undefined,
    failed: (outcome, failure) => (told = [outcome, failure?.reason]),
    upgraded: () => undefined,
  };
  const outgoing = { method: 'GET', head: '', body: undefined, isUpgrade: false, isRepeatable: true };
  const attempt = new UpstreamAttempt(owner, lease, pool, outgoing);
  const error = Object.assign(new Error('a fault'), { code });
  pool.given!.fault = error;

  if (isSent) attempt.onRequestStart(CONTROLLER);
  attempt.onResponseError(undefined, error);
  return told;
}

describe('UpstreamAttempt', () => {
  it.each<[string, FailureReason, FailureReason]>([
    ['ECONNREFUSED', 'connection_refused', 'reset'],
    ['EHOSTUNREACH', 'connection_refused', 'reset'],
    ['ETIMEDOUT', 'connect_timeout', 'reset'],
    ['ENOTFOUND', 'dns', 'reset'],
    ['CERT_HAS_EXPIRED', 'certificate_expired', 'certificate_expired'],
    ['EPROTO', 'protocol', 'protocol'],
  ])('that fails with %s: %s before its request is sent, %s after', async (code, before, after) => {
    expect(await reportedOf(code, false)).toEqual(['connect_failure', before]);
    expect(await reportedOf(code, true)).toEqual(['reset', after]);
  });

  it('does not blame the endpoint when the proxy has no descriptor or port left', async () => {
    expect(await reportedOf('EMFILE', false)).toEqual(['not_sent', 'no_free_place']);
    expect(await reportedOf('EADDRNOTAVAIL', false)).toEqual(['not_sent', 'no_free_place']);
  });
});
