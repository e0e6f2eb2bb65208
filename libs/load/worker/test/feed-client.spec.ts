import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { encodeFeedMessage, signFeedMessage, signTransaction, toHex } from '#load/chain';
import { FEED_FLAGS } from '#load/telemetry';
import { MicroClock } from '#platform/foundation';
import { Story } from '#testing';
import { FeedClient, type FeedTiming } from '../src/feed/feed-client.ts';
import type { FeedEvent } from '../src/feed/feed-event.ts';
import { frame, ScriptedFeed } from './support/scripted-feed.ts';

interface Reported {
  readonly what: 'message' | 'connected' | 'disconnected' | 'refused' | 'garbage' | 'ahead';
  readonly event?: FeedEvent;
  readonly text?: string;
}

const QUICK: Partial<FeedTiming> = { retryMs: 1, retryMsMax: 5 };
const KEY = Buffer.alloc(32, 7);

function signed(nonce: number): { readonly raw: Uint8Array; readonly hash: Uint8Array } {
  const fields = { chainId: 412_346, nonce, maxPriorityFeePerGas: 0n, maxFeePerGas: 1n, gasLimit: 21_000n };
  return signTransaction({ ...fields, to: Buffer.alloc(20, 1), value: 1n, data: new Uint8Array(0) }, KEY);
}

describe('FeedClient', () => {
  let feed: ScriptedFeed;
  let client: FeedClient | undefined;
  let story: Story<Reported>;

  beforeEach(async () => {
    feed = await ScriptedFeed.start();
    story = new Story();
  });
  afterEach(async () => {
    client?.close();
    client = undefined;
    await feed.stop();
  });

  const open = (timing = QUICK, fromSequence?: number, signer?: string): void => {
    client = new FeedClient({
      url: feed.url,
      chainId: 412_346,
      clock: new MicroClock(),
      fromSequence,
      signer,
      timing,
      listener: {
        onMessages: (events) => {
          for (const event of events) story.record({ what: 'message', event });
        },
        onConnected: () => story.record({ what: 'connected' }),
        onDisconnected: (text) => story.record({ what: 'disconnected', text }),
        onRefused: (refusal, text) => story.record({ what: 'refused', text: `${refusal}: ${text}` }),
        onConfirmedAhead: (confirmed, last) => story.record({ what: 'ahead', text: `${confirmed} ${last}` }),
        onGarbage: (text) => story.record({ what: 'garbage', text }),
      },
    });
    client.open();
  };
  const messages = async (count: number): Promise<readonly FeedEvent[]> => {
    await story.until(({ what }) => what === 'message', count);
    return story.entries.flatMap(({ event }) => (event === undefined ? [] : [event]));
  };

  it('sends its version and its first sequence number', async () => {
    open(QUICK, 17);

    const { headers } = await feed.connection(1);

    expect(headers['arbitrum-feed-client-version']).toBe('2');
    expect(headers['arbitrum-requested-sequence-number']).toBe('17');
    expect(headers['sec-websocket-extensions']).toBeUndefined();
  });

  it('reports the hashes of a message in order, with its size and time', async () => {
    const transactions = [signed(0), signed(1), signed(2)];
    open();
    const { socket } = await feed.connection(1);
    const beforeUs = Date.now() * 1_000 - 1_000;

    socket.send(
      frame(
        5,
        transactions.map(({ raw }) => raw),
      ),
    );

    const [event] = await messages(1);
    expect(toHex(event?.hashes ?? new Uint8Array())).toBe(
      toHex(Buffer.concat(transactions.map(({ hash }) => hash))),
    );
    expect(event).toMatchObject({ sequenceNumber: 5, flags: 0, missing: 0, timestamp: 1_700_000_000 });
    expect(event?.bytes).toBeGreaterThan(300);
    expect(event?.receivedUs).toBeGreaterThanOrEqual(beforeUs);
  });

  it.each([
    ['another version', ['Arbitrum-Feed-Server-Version: 3', 'Arbitrum-Chain-Id: 412346'], 'feed_version'],
    ['another chain', ['Arbitrum-Feed-Server-Version: 2', 'Arbitrum-Chain-Id: 1'], 'chain_id_mismatch'],
  ])('rejects a feed of %s, and does not reconnect', async (_, headers, refusal) => {
    await feed.stop();
    feed = await ScriptedFeed.start({ headers });
    open();

    const told = await story.until(({ what }) => what === 'refused');

    expect(told.text).toContain(refusal);
    expect(story.entries).toEqual([told]);
  });

  it('accepts a feed without version and chain id, like Nitro', async () => {
    await feed.stop();
    feed = await ScriptedFeed.start({ headers: [] });
    open();
    (await feed.connection(1)).socket.send(frame(40));

    expect(await messages(1)).toMatchObject([{ sequenceNumber: 40 }]);
  });

  it('reports the block hash of a message, and a wrong signer', async () => {
    open(QUICK, undefined, `0x${'11'.repeat(20)}`);
    const blockHash = `0x${'ab'.repeat(32)}`;
    const message = { sequenceNumber: 40, kind: 3, timestamp: 1, parentBlockNumber: 1 };
    const plain = { ...message, l2Msg: Uint8Array.of(3), blockHash };
    const { socket } = await feed.connection(1);
    socket.send(encodeFeedMessage(plain));
    socket.send(encodeFeedMessage({ ...signFeedMessage(plain, 412_346, KEY), sequenceNumber: 41 }));
    socket.send(encodeFeedMessage(signFeedMessage({ ...plain, sequenceNumber: 42 }, 412_346, KEY)));

    const [unsigned, junk, other] = await messages(3);
    expect(toHex(unsigned?.blockHash ?? new Uint8Array())).toBe(blockHash);
    expect(unsigned?.wrongSigner).toBe('nobody');
    expect(junk?.wrongSigner).not.toBe(other?.wrongSigner);
    expect(other?.wrongSigner).toMatch(/^0x/);
  });

  it('reports a bounded number of invalid frames, and reconnects', async () => {
    open();
    const { socket } = await feed.connection(1);

    for (let nonsense = 0; nonsense < 1_000; nonsense++) socket.send(`{"version":1,"messages":[${nonsense}`);

    const second = await feed.connection(2);
    second.socket.send(frame(40));
    const [event] = await messages(1);
    expect(event?.sequenceNumber).toBe(40);
    expect(story.entries.filter(({ what }) => what === 'garbage')).toHaveLength(16);
    expect(story.entries.filter(({ what }) => what === 'disconnected')).toHaveLength(1);
  });

  it('reconnects after a disconnect, from the last received number', async () => {
    open();
    const first = await feed.connection(1);
    first.socket.send(frame(40));
    first.socket.send(frame(41));
    await messages(2);

    first.socket.terminate();

    const second = await feed.connection(2);
    expect(second.headers['arbitrum-requested-sequence-number']).toBe('41');
    await story.until(({ what }) => what === 'connected', 2);
    expect(story.entries.some(({ what }) => what === 'disconnected')).toBe(true);
  });

  it('distinguishes duplicates, gaps and reorganisations', async () => {
    open();
    const { socket } = await feed.connection(1);
    const [one, other] = [signed(1), signed(2)];

    socket.send(frame(10, [one.raw]));
    socket.send(frame(10, [one.raw]));
    socket.send(frame(13));
    socket.send(frame(13, [other.raw]));
    socket.send(frame(14));

    const events = await messages(5);
    expect(events.map(({ sequenceNumber, flags, missing }) => [sequenceNumber, flags, missing])).toEqual([
      [10, 0, 0],
      [10, 1, 0],
      [13, 8, 2],
      [13, 2, 0],
      [14, 0, 0],
    ]);
  });

  it('reports equal transactions in another block as a reorganisation', async () => {
    open();
    const { socket } = await feed.connection(1);
    const { raw } = signed(1);

    socket.send(frame(10, [raw], 1_700_000_000));
    socket.send(frame(10, [raw], 1_700_000_001));

    const events = await messages(2);
    expect(events.map(({ flags }) => flags)).toEqual([0, FEED_FLAGS.reorganisation]);
  });

  it('marks messages repeated by a new connection as backlog until the first new message', async () => {
    open();
    const first = await feed.connection(1);
    first.socket.send(frame(40));
    first.socket.send(frame(41));
    await messages(2);
    first.socket.terminate();
    const { socket } = await feed.connection(2);

    for (const number of [40, 41, 42, 42]) socket.send(frame(number));

    const events = await messages(6);
    const { backlog, duplicate } = FEED_FLAGS;
    expect(events.slice(2).map(({ flags }) => flags)).toEqual([backlog, backlog, 0, duplicate]);
  });

  it.each([
    ['no JSON', 'hello'],
    ['another version', '{"version":2,"messages":[]}'],
    ['no list', '{"version":1,"messages":7}'],
    ['an invalid number', '{"version":1,"messages":[{"sequenceNumber":-1}]}'],
    ['nothing', ''],
  ])('counts a frame with %s, and continues', async (_, text) => {
    open();
    const { socket } = await feed.connection(1);

    socket.send(text);
    socket.send(Buffer.from('{}'), { binary: true });
    socket.send(frame(1));

    await messages(1);
    expect(story.entries.map(({ what }) => what)).toEqual(['connected', 'garbage', 'garbage', 'message']);
  });

  it('reads the same text in binary frames', async () => {
    open();
    const { socket } = await feed.connection(1);

    socket.send(Buffer.from(frame(1, [signed(1).raw])), { binary: true });

    const [event] = await messages(1);
    expect(event?.hashes).toHaveLength(32);
    expect(story.entries.some(({ what }) => what === 'garbage')).toBe(false);
  });

  it('reports the confirmation of a message that was not sent', async () => {
    open();
    const { socket } = await feed.connection(1);
    const confirmed = (number: number): string =>
      `{"version":1,"confirmedSequenceNumberMessage":{"sequenceNumber":${number}}}`;

    socket.send(confirmed(90));
    socket.send(frame(40));
    socket.send(confirmed(40));
    socket.send(confirmed(41));

    const told = await story.until(({ what }) => what === 'ahead');
    expect(told.text).toBe('41 40');
    expect(story.entries.filter(({ what }) => what === 'ahead')).toHaveLength(1);
  });

  it('takes the whole backlog of another server for backlog, also what is older than the first message', async () => {
    open();
    const first = await feed.connection(1);
    first.socket.send(frame(40));
    first.socket.send(frame(41));
    await messages(2);
    first.socket.terminate();
    const { socket } = await feed.connection(2);

    for (const number of [38, 39, 40, 41, 42]) socket.send(frame(number));

    const events = await messages(7);
    const { backlog } = FEED_FLAGS;
    expect(events.slice(2).map(({ flags }) => flags)).toEqual([backlog, backlog, backlog, backlog, 0]);
  });

  it('rejects a frame of 100 MB before it is received, and reconnects', async () => {
    open();
    const { socket } = await feed.connection(1);

    socket.send(Buffer.alloc(100 * 2 ** 20, 0x20));

    const told = await story.until(({ what }) => what === 'garbage');
    await feed.connection(2);
    expect(told.text).toMatch(/payload/i);
  });

  it('answers pings, and closes a silent connection', async () => {
    open({ ...QUICK, silenceMs: 50 });
    const { socket } = await feed.connection(1);
    const pong = new Promise((resolve) => socket.once('pong', resolve));

    socket.ping();

    await pong;
    await story.until(({ what }) => what === 'disconnected');
    await feed.connection(2);
  });

  it('skips messages without user transactions, and frames without messages', async () => {
    open();
    const { socket } = await feed.connection(1);
    const initial = frame(0).replace('"kind":3', '"kind":11');

    socket.send('{"version":1,"confirmedSequenceNumberMessage":{"sequenceNumber":3}}');
    socket.send(initial);

    const [event] = await messages(1);
    expect(event?.hashes).toHaveLength(0);
  });

  it('keeps trying without a server', async () => {
    await feed.stop();
    open();

    const told = await story.until(({ what }) => what === 'disconnected', 3);

    expect(told.text).toMatch(/ECONNREFUSED/);
    feed = await ScriptedFeed.start();
  });

  it('reports nothing after its close', async () => {
    open();
    const { socket } = await feed.connection(1);
    await story.until(({ what }) => what === 'connected');
    const closed = new Promise((resolve) => socket.once('close', resolve));

    client?.close();

    await closed;
    expect(story.entries.map(({ what }) => what)).toEqual(['connected']);
  });
});
