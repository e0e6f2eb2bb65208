/** The ordering of the simulated chain, without HTTP. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { fromHex, L2_MESSAGE_BYTES_MAX, transactionsOf } from '#load/chain';
import { FaultInjector } from '../src/fault-plan.ts';
import { FaultyFeed } from '../src/feed/faulty-feed.ts';
import { FeedServer } from '../src/feed/feed-server.ts';
import { BLOCK_GAS_MAX } from '../src/sim/chain-rules.ts';
import { type SimOptions, SimSequencer } from '../src/sim/sim-sequencer.ts';
import { FeedReader } from './support/feed-reader.ts';
import { logLines } from './support/log-lines.ts';
import { type SignedHex, TestWallet } from './support/test-wallet.ts';

const CHAIN_ID = 412_346;
const A_MINUTE_MS = 60_000;

let server: FeedServer;
let sim: SimSequencer;
afterEach(async () => {
  sim.close();
  await server.close();
});

async function start(options: Pick<SimOptions, 'blockMs' | 'queue' | 'clock'>) {
  server = new FeedServer({ chainId: CHAIN_ID });
  const port = await server.listen(0, '127.0.0.1');
  const faults = new FaultInjector({}, logLines());
  sim = new SimSequencer({ chainId: CHAIN_ID, faults, feed: new FaultyFeed(server, faults), ...options });
  return FeedReader.open(port);
}

function submit({ raw }: SignedHex, isAbandoned = () => false): Promise<string> {
  return new Promise((resolve) => {
    sim.submit(fromHex(raw), { isAbandoned }, (refusal) => resolve(refusal?.message ?? 'sequenced'));
  });
}

describe('SimSequencer', () => {
  it('rejects transactions that wait too long in front of a full queue', async () => {
    let monotonicMs = 0;
    const clock = { nowMs: () => Date.now(), monotonicMs: () => monotonicMs };
    const feed = await start({ blockMs: A_MINUTE_MS, queue: { places: 1, timeoutMs: 30 }, clock });
    const rich = TestWallet.rich();
    await submit(rich.sign());

    const waiting = submit(rich.sign());
    const withoutPlace = submit(rich.sign());
    monotonicMs = 31;

    expect(await Promise.race([waiting, withoutPlace.then((told) => `without a place: ${told}`)])).toBe(
      'without a place: context deadline exceeded',
    );
    feed.close();
  });

  it('skips transactions of disconnected senders', async () => {
    const feed = await start({ blockMs: 10 });
    const rich = TestWallet.rich();
    const gone = rich.sign();

    let isAnswered = false;
    void submit(gone, () => true).then(() => (isAnswered = true));
    const told = await submit(rich.sign({ nonce: 0, value: 5n }));

    expect(told).toBe('sequenced');
    expect(isAnswered).toBe(false);
    expect(sim.blocks.transaction(fromHex(gone.hash))).toBeUndefined();
    feed.close();
  });

  it('fills blocks up to the limits of bytes and gas, in order', async () => {
    const feed = await start({ blockMs: 10 });
    const rich = TestWallet.rich();
    const large = Array.from({ length: 9 }, () =>
      rich.sign({ data: Buffer.alloc(90_000), gasLimit: 2_000_000n }),
    );
    const hungry = Array.from({ length: 5 }, () => rich.sign({ gasLimit: 20_000_000n }));
    const sent = [...large, ...hungry];

    const told = await Promise.all(sent.map((signed) => submit(signed)));

    await feed.until(({ hashes }) => hashes.length === sent.length);
    const gasOf = (number: number) => sim.blocks.byNumber(number)?.transactions.gasUsedByAll ?? NaN;
    expect(new Set(told)).toEqual(new Set(['sequenced']));
    expect(feed.hashes).toEqual(sent.map(({ hash }) => hash));
    expect(Math.max(...feed.messages.map(({ l2Msg }) => l2Msg.length))).toBeLessThanOrEqual(
      L2_MESSAGE_BYTES_MAX,
    );
    expect(Math.max(...feed.messages.map(({ l2Msg }) => transactionsOf(l2Msg).length))).toBeGreaterThan(1);
    expect(Math.max(...feed.numbers.map(gasOf))).toBeLessThanOrEqual(BLOCK_GAS_MAX);
    feed.close();
  });

  it('spaces blocks by the block time, and builds the first one at once', async () => {
    const feed = await start({ blockMs: A_MINUTE_MS });
    const rich = TestWallet.rich();

    const first = await submit(rich.sign());
    const second = submit(rich.sign());

    expect(first).toBe('sequenced');
    expect(await Promise.race([second, new Promise((resolve) => setImmediate(resolve, 'waits'))])).toBe(
      'waits',
    );
    expect(sim.blocks.latest.header.number).toBe(1);
    feed.close();
  });
});
