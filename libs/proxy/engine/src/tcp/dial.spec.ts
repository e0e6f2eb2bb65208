import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { freePort, standStill } from '#testing';
import { endpoint } from '../../test/cluster-world.ts';
import { TurnedTimers } from '../../test/turned-timers.ts';
import { systemTimers } from '../cluster/target/cluster-context.ts';
import { EndpointCounters } from '../cluster/target/endpoint-counters.ts';
import { Target } from '../cluster/target/target.ts';
import { dial, type DialOptions } from './dial.ts';

/** All addresses of one name. */
function siblingsAt(ips: readonly string[], port: number): Target[] {
  const { address } = endpoint(`api.test:${port}`);
  const counters = new EndpointCounters();
  const targets = ips.map(
    (ip) => new Target({ endpoint: address, ip, weight: 1, counters, isHealthy: true }),
  );
  for (const target of targets) target.siblings = targets;
  return targets;
}

/** Resolves with the failure, or undefined for a connection. */
function dialled(
  target: Target,
  tls: object | undefined,
  { timers, timeoutMs }: Pick<DialOptions, 'timers' | 'timeoutMs'> = {
    timers: new TurnedTimers(),
    timeoutMs: 1_000,
  },
): Promise<Error | undefined> {
  return new Promise((resolve) => {
    dial({
      target,
      timers,
      timeoutMs,
      tls,
      owner: {
        received: () => true,
        connected: (socket) => {
          socket.destroy();
          resolve(undefined);
        },
        dialFailed: resolve,
      },
    });
  });
}

describe('dial', () => {
  const servers: Server[] = [];

  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  /** Closes each connection at once. Returns its port, and the number of connections. */
  async function closing(
    ip: string,
    port = 0,
  ): Promise<{ readonly port: number; readonly count: () => number }> {
    let count = 0;
    const server = createServer((socket) => {
      count += 1;
      socket.on('error', () => undefined).destroy();
    });
    servers.push(server);
    server.listen(port, ip);
    await once(server, 'listening');
    return { port: (server.address() as AddressInfo).port, count: () => count };
  }

  it('tries each address once, and fails when all have failed', async () => {
    const first = await closing('127.0.0.1');
    const second = await closing('127.0.0.2', first.port);
    const [target] = siblingsAt(['127.0.0.1', '127.0.0.2'], first.port);

    const fault = await dialled(target!, {});

    expect(fault).toMatchObject({ code: 'ECONNRESET' });
    expect([first.count(), second.count()]).toEqual([1, 1]);
  });

  it.each<[string, (target: Target) => void]>([
    ['unhealthy', (target) => (target.isHealthy = false)],
    ['ejected', (target) => (target.isEjected = true)],
    ['disabled', (target) => (target.isDisabled = true)],
  ])('does not fall back from an address that is %s', async (_, spoil) => {
    const port = await freePort();
    const served = await closing('127.0.0.2', port);
    const [target, other] = siblingsAt(['127.0.0.1', '127.0.0.2'], port);
    spoil(other!);

    const fault = await dialled(target!, undefined);

    expect(fault).toMatchObject({ code: 'ECONNREFUSED' });
    expect(served.count()).toBe(0);
  });

  it('does not take its own standstill for silence of the endpoint', async () => {
    const { port } = await closing('127.0.0.1');
    const [target] = siblingsAt(['127.0.0.1'], port);

    const fault = dialled(target!, undefined, { timers: systemTimers, timeoutMs: 50 });
    standStill(200);

    expect(await fault).toBeUndefined();
    expect(target?.isUnreachable).toBe(false);
  });
});
