import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { ProxyEvent } from '#proxy/engine';
import { clusterSnapshot, proxySnapshot } from '#proxy/testing';
import { TestAdmin } from './support/test-admin.ts';

/** Reads a stream of events as it arrives. */
class EventReader {
  readonly socket: Socket;
  bytes = 0;
  #text = '';

  static async open(admin: TestAdmin, path: string, headers = ''): Promise<EventReader> {
    const socket = await admin.open();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`);
    const reader = new EventReader(socket);
    await reader.until(/retry: 2000\n\n/);
    return reader;
  }

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length;
      this.#text += chunk.toString();
    });
    socket.on('error', () => undefined);
  }

  get text(): string {
    return this.#text;
  }

  async until(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.#text);
      if (match !== null) return match;
      await once(this.socket, 'data');
    }
  }

  async untilBytes(count: number): Promise<void> {
    while (this.bytes < count) await once(this.socket, 'data');
  }

  /** Ids of the received events. */
  get ids(): readonly string[] {
    return Array.from(this.#text.matchAll(/^id: (.+)$/gm), ([, id = '']) => id);
  }
}

const health = (healthy: boolean, reason: string): ProxyEvent => ({
  type: 'endpoint_health',
  at: 1_700_000_000_000,
  cluster: 'api',
  address: 'a:1',
  target: '10.0.0.1:1',
  healthy,
  reason,
});

describe('GET /admin/v1/events', () => {
  let admin: TestAdmin;
  const start = async () => {
    admin = await TestAdmin.scripted({ admin: { extensions: true } });
  };

  afterEach(() => admin.stop());

  it('begins with stored events on request, and continues with new ones', async () => {
    await start();
    admin.source.emit(health(false, 'earlier'));

    const reader = await EventReader.open(admin, '/admin/v1/events?history=true');
    await reader.until(/"reason":"earlier"/);
    admin.source.emit(health(true, 'later'));
    await reader.until(/"reason":"later"/);
    const back = await EventReader.open(
      admin,
      '/admin/v1/events?history=true',
      `Last-Event-ID: ${String(reader.ids[0])}\r\n`,
    );
    await back.until(/"reason":"later"/);

    expect(reader.ids).toHaveLength(2);
    expect(back.ids).toEqual(reader.ids.slice(1));
  });

  it('sends each event as it happens, with its reason, to all readers', async () => {
    await start();
    const readers = [
      await EventReader.open(admin, '/admin/v1/events'),
      await EventReader.open(admin, '/admin/v1/events'),
    ];

    admin.source.emit(health(false, 'status 500\nexpected 200'));

    for (const reader of readers) {
      await reader.until(/event: endpoint_health\n/);
      const [, id, data = ''] = await reader.until(
        /\n\n?[^\n]*id: (\S+)\nevent: endpoint_health\ndata: (.+)\n\n/,
      );
      expect(id).toMatch(/-1$/);
      expect(JSON.parse(data)).toEqual({
        type: 'endpoint_health',
        at: 1_700_000_000_000,
        cluster: 'api',
        address: 'a:1',
        target: '10.0.0.1:1',
        healthy: false,
        reason: 'status 500\nexpected 200',
      });
      expect(reader.text).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*content-type: text\/event-stream/i);
      reader.socket.destroy();
    }
  });

  it('sends events missed since Last-Event-ID', async () => {
    await start();
    const first = await EventReader.open(admin, '/admin/v1/events');
    for (const reason of ['one', 'two', 'three']) admin.source.emit(health(false, reason));
    await first.until(/"three"/);
    first.socket.destroy();
    admin.source.emit(health(true, 'four'));

    const again = await EventReader.open(
      admin,
      '/admin/v1/events',
      `Last-Event-ID: ${first.ids[1] ?? ''}\r\n`,
    );
    await again.until(/"four"/);

    expect(Array.from(again.text.matchAll(/"reason":"(\w+)"/g), ([, reason]) => reason)).toEqual([
      'three',
      'four',
    ]);
    again.socket.destroy();
  });

  it('sends all stored events to a reader that names an event of another process', async () => {
    await start();
    const first = await EventReader.open(admin, '/admin/v1/events');
    for (let i = 0; i < 300; i++) admin.source.emit(health(false, `r${i}`));
    await first.until(/"r299"/);

    const again = await EventReader.open(admin, '/admin/v1/events', 'Last-Event-ID: other-7\r\n');
    await again.until(/"r299"/);

    expect(again.ids).toEqual(first.ids.slice(-256));
    for (const { socket } of [first, again]) socket.destroy();
  });

  it('sends no stored event to a new reader', async () => {
    await start();
    admin.source.emit(health(false, 'past'));

    const reader = await EventReader.open(admin, '/admin/v1/events');
    admin.source.emit(health(false, 'present'));
    await reader.until(/"present"/);

    expect(reader.text).not.toContain('past');
    reader.socket.destroy();
  });

  it('sends the state of the proxy at once and once a second, on request', async () => {
    await start();
    admin.source.current = proxySnapshot({ clusters: [clusterSnapshot('before')] });
    const reader = await EventReader.open(admin, '/admin/v1/events?snapshots=true');
    await reader.until(/event: snapshot\ndata: .*"before"/);

    admin.source.current = proxySnapshot({ clusters: [clusterSnapshot('after')] });

    await reader.until(/event: snapshot\ndata: .*"after"/);
    expect(reader.ids).toEqual([]);
    reader.socket.destroy();
  });

  it('ends its streams when the server ends', async () => {
    await start();
    const reader = await EventReader.open(admin, '/admin/v1/events');
    const ended = once(reader.socket, 'close');

    await admin.stop();

    await expect(ended).resolves.toBeDefined();
    await start();
  });

  it('limits the number of readers, and accepts another one when one disconnects', async () => {
    await start();
    const readers: EventReader[] = [];
    for (let i = 0; i < 32; i++) readers.push(await EventReader.open(admin, '/admin/v1/events'));

    const refused = await admin.ask('GET', '/admin/v1/events', { Host: 'localhost' });
    readers[0]?.socket.destroy();
    let status = 429;
    while (status === 429) {
      const socket = await admin.open();
      socket.write('GET /admin/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
      const [answer] = (await once(socket, 'data')) as [Buffer];
      status = Number(/^HTTP\/1\.1 (\d+)/.exec(answer.toString())?.[1]);
      socket.destroy();
    }

    expect([refused.status, status]).toEqual([429, 200]);
    for (const { socket } of readers) socket.destroy();
  });

  it('disconnects a reader that does not keep up, and serves the others', async () => {
    await start();
    const slow = await EventReader.open(admin, '/admin/v1/events');
    const fast = await EventReader.open(admin, '/admin/v1/events');
    slow.socket.pause();
    const cut = once(slow.socket, 'close');
    const long = 'x'.repeat(500_000);

    for (let i = 1; i <= 40; i++) {
      admin.source.emit(health(false, long));
      await fast.untilBytes(i * long.length);
    }
    slow.socket.resume();
    await cut;

    expect(slow.bytes).toBeLessThan(40 * long.length);
    fast.socket.destroy();
  });

  it('answers HEAD with the head alone, and rejects unknown parameters', async () => {
    await start();

    const head = await admin.ask('HEAD', '/admin/v1/events');
    const wrong = await admin.ask('GET', '/admin/v1/events?snapshots=maybe');

    expect([head.status, head.headers['content-type'], head.body]).toEqual([200, 'text/event-stream', '']);
    expect(wrong.status).toBe(400);
  });
});
