import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { ProxyBed } from './proxy-bed.ts';
import { RawClient } from './raw-client.ts';
import { ScriptedUpstream } from './upstreams.ts';

const MIB = 2 ** 20;
const PART = 'x'.repeat(65_536);
/** Upper bound of the buffers of the system and the proxy for a stalled stream, on both sides. */
const HELD_MAX = 48 * MIB;

/** Writes until the socket accepts no more, for some turns of the event loop; returns the number of bytes. */
async function fill(socket: Socket): Promise<number> {
  let bytes = 0;
  let isFull = false;
  const write = (): void => {
    while (!isFull && socket.write(PART)) bytes += PART.length;
  };
  socket.on('drain', write);
  for (let quiet = 0; quiet < 50 && bytes < 2 * HELD_MAX;) {
    const before = bytes;
    write();
    await new Promise((resolve) => setImmediate(resolve));
    quiet = before === bytes ? quiet + 1 : 0;
  }
  isFull = true;
  socket.off('drain', write);
  return bytes;
}

describe('flow control of a body', () => {
  let upstream: ScriptedUpstream;
  let bed: ProxyBed;
  let client: RawClient;

  beforeEach(async () => {
    upstream = await ScriptedUpstream.start((socket) => socket.pause());
    bed = await ProxyBed.start({
      listeners: [{ name: 'web', address: '127.0.0.1:0' }],
      clusters: [{ name: 'api', endpoints: [{ address: upstream.address }] }],
      routes: [{ prefix: '/', cluster: 'api' }],
      drain: { grace: '0s', timeout: '0s' },
    });
    client = await RawClient.to(await bed.port('web'));
  });

  afterEach(async () => {
    client.socket.destroy();
    await bed.stop();
    await upstream.stop();
  });

  it('reads a request no faster than the upstream accepts it', async () => {
    client.send(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${1_000 * MIB}\r\n\r\n`);
    await upstream.connections(1);

    expect(await fill(client.socket)).toBeLessThan(HELD_MAX);
  });

  it('reads a response no faster than the client accepts it', async () => {
    client.socket.pause();
    client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const socket = await upstream.connections(1);
    await bed.until(({ clusters }) => clusters[0]?.endpoints[0]?.activeRequests === 1);
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${1_000 * MIB}\r\n\r\n`);

    expect(await fill(socket)).toBeLessThan(HELD_MAX);
  });

  it('forwards 8 MiB completely, in both directions', async () => {
    const body = Array.from({ length: 131_072 }, (_, index) => String(index).padStart(64, '.')).join('');
    const sum = createHash('sha256').update(body).digest('hex');
    const hash = createHash('sha256');
    let bytes = 0;

    client.send(
      `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    const socket = await upstream.connections(1);
    let isHead = true;
    socket.on('data', (chunk: Buffer) => {
      const part = isHead ? chunk.subarray(chunk.indexOf('\r\n\r\n') + 4) : chunk;
      isHead = false;
      bytes += part.length;
      hash.update(part);
      if (bytes === body.length) {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      }
    });
    socket.resume();
    await client.ended();

    const received = client.received.slice(client.received.indexOf('\r\n\r\n') + 4);
    expect(hash.digest('hex')).toBe(sum);
    expect(createHash('sha256').update(received).digest('hex')).toBe(sum);
  });
});
