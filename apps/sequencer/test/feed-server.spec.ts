import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { FeedMessage } from '#load/chain';
import { FeedServer } from '../src/feed/feed-server.ts';
import { FeedReader } from './support/feed-reader.ts';

const BIG_BYTES = 200_000;

const message = (sequenceNumber: number, bytes = 3): FeedMessage => ({
  sequenceNumber,
  kind: 3,
  timestamp: 1_700_000_000,
  parentBlockNumber: 1,
  l2Msg: Buffer.alloc(bytes, 5),
  blockHash: null,
});

let nowMs = 0;
let server: FeedServer;
let port: number;
const readers: FeedReader[] = [];
beforeEach(async () => {
  nowMs = 0;
  server = new FeedServer({ chainId: 77, clock: { nowMs: () => nowMs, monotonicMs: () => nowMs } });
  port = await server.listen(0, '127.0.0.1');
});
afterEach(async () => {
  jest.useRealTimers();
  for (const reader of readers.splice(0)) reader.close();
  await server.close();
});

async function open(headers?: Readonly<Record<string, string>>): Promise<FeedReader> {
  const reader = await FeedReader.open(port, headers);
  readers.push(reader);
  return reader;
}

const asking = (number: string) => ({ 'Arbitrum-Requested-Sequence-Number': number });

describe('FeedServer', () => {
  it('sends version and chain id in the upgrade headers', async () => {
    const { headers } = await open({ 'Arbitrum-Feed-Client-Version': '2' });

    expect(headers['arbitrum-feed-server-version']).toBe('2');
    expect(headers['arbitrum-chain-id']).toBe('77');
  });

  it.each([
    [{ 'Arbitrum-Feed-Client-Version': '1' }, 'Feed Client version too old: 1, expected 2'],
    [{ 'Arbitrum-Feed-Client-Version': 'x' }, 'Malformed HTTP header Arbitrum-feed-client-version'],
    [asking('-1'), 'Malformed HTTP header Arbitrum-requested-sequence-number'],
  ])('rejects %j', async (headers, reason) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}`, { headers });

    const [, response] = (await once(socket, 'unexpected-response')) as [
      unknown,
      AsyncIterable<Buffer> & { statusCode: number },
    ];
    const body: Buffer[] = [];
    for await (const chunk of response) body.push(chunk);
    expect([response.statusCode, Buffer.concat(body).toString()]).toEqual([400, reason]);
  });

  it('answers plain HTTP with 426', async () => {
    expect((await fetch(`http://127.0.0.1:${port}`)).status).toBe(426);
  });

  it('sends every message to every client, in order', async () => {
    const two = [await open(), await open()];

    for (let number = 0; number < 50; number++) server.publish(message(number));

    for (const reader of two) {
      const { numbers } = await reader.until(({ messages }) => messages.length === 50);
      expect(numbers).toEqual(Array.from({ length: 50 }, (_, number) => number));
    }
  });

  it.each([
    ['no number', undefined, 0],
    ['a kept number', '3', 3],
    ['the latest number', '9', 9],
    ['the number after the latest', '10', 0],
    ['a removed or distant number', '99999', 0],
  ])('starts at the same message as Nitro for %s', async (_, asked, first) => {
    for (let number = 0; number < 10; number++) server.publish(message(number));

    const reader = await open(asked === undefined ? {} : asking(asked));
    await reader.until(({ numbers }) => numbers.at(-1) === 9);

    expect(reader.numbers).toEqual(Array.from({ length: 10 - first }, (_, index) => first + index));
  });

  it('continues from the backlog to new messages without a gap for a slow client', async () => {
    for (let number = 0; number < 60; number++) server.publish(message(number, BIG_BYTES));
    const reader = await open();
    for (let number = 60; number < 70; number++) server.publish(message(number, BIG_BYTES));

    await reader.until(({ numbers }) => numbers.at(-1) === 69);

    expect(reader.numbers).toEqual(Array.from({ length: 70 }, (_, number) => number));
  });

  it('disconnects a client that has fallen behind the backlog', async () => {
    const reader = await open();
    reader.socket.pause();

    for (let number = 0; number < 350; number++) server.publish(message(number, BIG_BYTES));
    reader.socket.resume();
    await reader.closed;

    expect(reader.messages.length).toBeLessThan(350);
    expect(server.clientCount).toBe(0);
  });

  it('pings clients, and disconnects those silent for 15 seconds', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const timed = new FeedServer({ chainId: 77, clock: { nowMs: () => nowMs, monotonicMs: () => nowMs } });
    const timedPort = await timed.listen(0, '127.0.0.1');
    const lively = await FeedReader.open(timedPort);
    const silent = new WebSocket(`ws://127.0.0.1:${timedPort}`, { autoPong: false });
    await once(silent, 'open');
    const pinged = once(lively.socket, 'ping');

    nowMs = 10_000;
    jest.advanceTimersByTime(5_000);
    await pinged;
    lively.socket.send('still here');
    const heard = once(lively.socket, 'pong');
    lively.socket.ping();
    await heard;
    nowMs = 15_001;
    jest.advanceTimersByTime(5_000);
    await once(silent, 'close');

    expect(timed.clientCount).toBe(1);
    lively.close();
    await timed.close();
  });

  it('sends a repeated message to the clients that have it, and keeps it once', async () => {
    const early = await open();
    server.publish(message(0));
    server.repeat(message(0));
    server.publish(message(1));
    const late = await open();

    await Promise.all([early, late].map((reader) => reader.until(({ numbers }) => numbers.at(-1) === 1)));

    expect([early.numbers, late.numbers]).toEqual([
      [0, 0, 1],
      [0, 1],
    ]);
  });

  it('survives clients that send invalid data', async () => {
    const reader = await open();
    reader.socket.send('x'.repeat(5_000));
    await reader.closed;

    server.publish(message(0));
    const other = await open();

    expect((await other.until(({ messages }) => messages.length > 0)).numbers).toEqual([0]);
  });
});
