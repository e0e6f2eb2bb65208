import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { systemTimers } from '../cluster/target/cluster-context.ts';
import type { ListenerConfig } from '../config/proxy-config.ts';
import { Front } from './front.ts';
import { DownstreamCounters, ListenerCounters } from './listener-counters.ts';
import { Timeouts } from './timeouts.ts';

const CONFIG: ListenerConfig = {
  name: 'web',
  address: { host: '127.0.0.1', port: 0, text: '127.0.0.1:0' },
  protocol: 'tcp',
  cluster: 'api',
  maxConnections: 10,
  idleTimeoutMs: 0,
  headerTimeoutMs: 0,
  maxHeaderBytes: 8_192,
  requestTimeoutMs: 0,
  bodyMinRate: 0,
  tls: undefined,
  paths: 'raw',
  trustedProxies: [],
  accessLog: false,
};

class SilentFront extends Front {
  protected override get requestsActive(): number {
    return 0;
  }

  protected override begin(): void {
    // Connections of this front never write.
  }
}

describe('byte counts of a Front', () => {
  const server = createServer();
  let client: Socket;

  afterEach(() => {
    client.destroy();
    server.close();
  });

  it('do not decrease when a connection is closed with unsent data', async () => {
    const counters = new ListenerCounters(new DownstreamCounters());
    const listener = { config: CONFIG, counters, lines: undefined };
    const front = new SilentFront(listener, new Timeouts(systemTimers));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }).pause();
    const [socket] = await accepted;
    front.take(socket);
    // More than the system buffers, and then parts that wait behind it.
    socket.write('x'.repeat(50_000_000));
    for (let part = 0; part < 10; part++) socket.write('y'.repeat(1_000));
    const before = front.bytesNow().sent;

    socket.destroy();
    await front.whenEmpty();

    expect(front.counters.bytesSent).toBeGreaterThanOrEqual(before);
  });
});
