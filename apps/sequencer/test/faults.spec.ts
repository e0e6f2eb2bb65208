/** Each fault has exactly the documented effect, and is logged. */
import { describe, expect, it, jest } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FeedMessage } from '#load/chain';
import { FAULT_NAMES, FaultInjector, parseFaults } from '../src/fault-plan.ts';
import { FaultyFeed } from '../src/feed/faulty-feed.ts';
import { FeedServer } from '../src/feed/feed-server.ts';
import { FeedReader } from './support/feed-reader.ts';
import { logLines } from './support/log-lines.ts';
import { RunningSim } from './support/running-sim.ts';
import { type SignedHex, TestWallet } from './support/test-wallet.ts';

const BASE_FEE = 100_000_000n;
const DELAY_MS = 700;
const HALF_AN_HOUR_MS = 1_800_000;
const ALL_BUT_TIMEOUTS = [
  'nextTick',
  'setImmediate',
  'queueMicrotask',
  'setInterval',
  'Date',
  'performance',
] as const;

const message = (sequenceNumber: number): FeedMessage => ({
  sequenceNumber,
  kind: 3,
  timestamp: 1,
  parentBlockNumber: 1,
  l2Msg: Buffer.alloc(1, 3),
  blockHash: null,
});

interface Receipt {
  readonly blockNumber: string;
  readonly gasUsed: string;
  readonly transactionHash: string;
}

const sendVia = ({ rpc }: RunningSim, { raw }: SignedHex) => rpc.reply('eth_sendRawTransaction', raw);
const receiptVia = ({ rpc }: RunningSim, { hash }: SignedHex) =>
  rpc.call<Receipt | null>('eth_getTransactionReceipt', hash);

/** Sends transactions of the rich account one after another, each in its own block. */
async function sendInTurn(sim: RunningSim, count: number): Promise<SignedHex[]> {
  const rich = TestWallet.rich();
  const sent: SignedHex[] = [];
  for (let i = 0; i < count; i++) {
    const signed = rich.sign();
    await sim.rpc.call('eth_sendRawTransaction', signed.raw);
    sent.push(signed);
  }
  return sent;
}

/** The rich account's balance minus the one expected from its transactions of 1 wei and their fees. */
async function surplusOf(sim: RunningSim, sent: readonly SignedHex[]): Promise<bigint> {
  const { hex } = TestWallet.rich();
  const receipts = await Promise.all(sent.map((signed) => receiptVia(sim, signed)));
  const spent = receipts.reduce((sum, receipt) => sum + 1n + BigInt(receipt?.gasUsed ?? 0) * BASE_FEE, 0n);
  const [before, after] = [
    await sim.rpc.count('eth_getBalance', hex, '0x0'),
    await sim.rpc.count('eth_getBalance', hex, 'latest'),
  ];
  return after - (before - spent);
}

const hashes = (sent: readonly SignedHex[]) => sent.map(({ hash }) => hash);
const numbersFrom0 = (count: number) => Array.from({ length: count }, (_, number) => number);

describe('without faults', () => {
  it('has no irregularities', async () => {
    await using sim = await RunningSim.start();

    const sent = await sendInTurn(sim, 4);

    await sim.feed.until((reader) => reader.hashes.length === 4);
    expect(sim.feed.numbers).toEqual(numbersFrom0(5));
    expect(sim.feed.hashes).toEqual(hashes(sent));
    expect(await surplusOf(sim, sent)).toBe(0n);
    expect(await sim.rpc.count('eth_getTransactionCount', TestWallet.rich().hex, 'latest')).toBe(4n);
    expect(sim.log.lines).toEqual([]);
  });
});

describe('faults of the feed', () => {
  it('drop_feed_every: a message with its transactions is never sent', async () => {
    await using sim = await RunningSim.start({ drop_feed_every: 2 });

    const sent = await sendInTurn(sim, 5);

    await sim.feed.until(({ numbers }) => numbers.at(-1) === 5);
    expect(sim.feed.numbers).toEqual([0, 1, 3, 5]);
    expect(sim.log.faults('drop_feed_every')).toMatchObject([
      { sequence_number: 2, hashes: [sent[1]?.hash] },
      { sequence_number: 4, hashes: [sent[3]?.hash] },
    ]);
    expect(await receiptVia(sim, sent[1] as SignedHex)).not.toBeNull();
  });

  it('duplicate_feed_every: the same message is sent twice', async () => {
    await using sim = await RunningSim.start({ duplicate_feed_every: 2 });

    const sent = await sendInTurn(sim, 3);

    await sim.feed.until(({ numbers }) => numbers.at(-1) === 3);
    expect(sim.feed.numbers).toEqual([0, 1, 2, 2, 3]);
    expect(sim.feed.messages[2]).toEqual(sim.feed.messages[3]);
    expect(sim.log.faults('duplicate_feed_every')).toMatchObject([
      { sequence_number: 2, hashes: [sent[1]?.hash] },
    ]);
  });

  it('gap_feed_every: a number is missing, but no transaction', async () => {
    await using sim = await RunningSim.start({ gap_feed_every: 2 });

    const sent = await sendInTurn(sim, 4);

    await sim.feed.until((reader) => reader.hashes.length === 4);
    expect(sim.feed.numbers).toEqual([0, 1, 2, 4, 5]);
    expect(sim.feed.hashes).toEqual(hashes(sent));
    expect(sim.log.faults('gap_feed_every')).toMatchObject([{ sequence_number: 3 }, { sequence_number: 6 }]);
    expect(await sim.rpc.call('eth_getBlockByNumber', '0x3', true)).toMatchObject({ transactions: [] });
  });

  it('delay_feed_ms: messages are delayed by this time, in order', async () => {
    jest.useFakeTimers({ doNotFake: [...ALL_BUT_TIMEOUTS] });
    const server = new FeedServer({ chainId: 1 });
    const reader = await FeedReader.open(await server.listen(0, '127.0.0.1'));
    const feed = new FaultyFeed(server, new FaultInjector({ delay_feed_ms: DELAY_MS }, logLines()));

    feed.publish(message(1));
    jest.advanceTimersByTime(DELAY_MS - 1);
    feed.publish(message(2));
    server.publish(message(0));
    jest.advanceTimersByTime(1);
    await reader.until(({ numbers }) => numbers.length === 2);
    const soFar = [...reader.numbers];
    jest.advanceTimersByTime(DELAY_MS - 1);
    await reader.until(({ numbers }) => numbers.length === 3);

    expect(soFar).toEqual([0, 1]);
    expect(reader.numbers).toEqual([0, 1, 2]);
    jest.useRealTimers();
    reader.close();
    await server.close();
  });

  it('delay_feed_ms: answers do not wait for the feed', async () => {
    await using sim = await RunningSim.start({ delay_feed_ms: HALF_AN_HOUR_MS });

    await sendInTurn(sim, 2);

    expect(sim.feed.numbers).toEqual([0]);
  });

  it('reorg_every: a message under the last number replaces the last message and its block', async () => {
    await using sim = await RunningSim.start({ reorg_every: 2 });

    const sent = await sendInTurn(sim, 3);

    await sim.feed.until(({ numbers }) => numbers.at(-1) === 3);
    const [, , taken, other] = sim.feed.messages;
    const block = await sim.rpc.call('eth_getBlockByNumber', '0x2', false);
    expect(sim.feed.numbers).toEqual([0, 1, 2, 2, 3]);
    expect(other?.l2Msg).toEqual(taken?.l2Msg);
    expect(other?.blockHash).not.toBe(taken?.blockHash);
    expect(block).toMatchObject({ hash: other?.blockHash, transactions: [sent[1]?.hash] });
    expect(await sim.rpc.call('eth_getBlockByHash', taken?.blockHash, false)).toBeNull();
    expect(sim.log.faults('reorg_every')).toMatchObject([{ sequence_number: 2 }]);
  });

  it('disconnect_feed_every: the connection is closed, and the backlog has the missed messages', async () => {
    await using sim = await RunningSim.start({ disconnect_feed_every: 2 });

    await sendInTurn(sim, 3);
    await sim.feed.closed;

    const later = await FeedReader.open(sim.node.feedPort, { 'Arbitrum-Requested-Sequence-Number': '2' });
    await later.until(({ numbers }) => numbers.at(-1) === 3);
    later.close();
    expect(sim.feed.numbers).not.toContain(3);
    expect(later.numbers).toEqual([2, 3]);
    expect(sim.log.faults('disconnect_feed_every')).toMatchObject([{ sequence_number: 2 }]);
  });

  it('wrong_chain_header: the feed reports another chain id', async () => {
    await using sim = await RunningSim.start({ wrong_chain_header: 1 });

    expect(sim.feed.headers['arbitrum-chain-id']).toBe('412347');
    expect(await sim.rpc.count('eth_chainId')).toBe(412_346n);
  });
});

describe('faults of the state', () => {
  it.each([
    ['mint_wei_every', 2n],
    ['steal_wei_every', -2n],
  ] as const)(
    '%s: every third transaction changes the balance by one unexplained wei',
    async (name, surplus) => {
      await using sim = await RunningSim.start({ [name]: 3 });

      const sent = await sendInTurn(sim, 7);

      const account = TestWallet.rich().hex;
      expect(await surplusOf(sim, sent)).toBe(surplus);
      expect(sim.log.faults(name)).toMatchObject([
        { hash: sent[2]?.hash, account, block_number: 3 },
        { hash: sent[5]?.hash, account, block_number: 6 },
      ]);
      expect(sim.feed.numbers).toEqual(numbersFrom0(8));
    },
  );

  it('apply_nonce_twice_every: the feed contains a transaction twice that was executed once', async () => {
    await using sim = await RunningSim.start({ apply_nonce_twice_every: 2 });

    const sent = await sendInTurn(sim, 3);

    await sim.feed.until((reader) => reader.hashes.length === 4);
    const [first, second, third] = hashes(sent);
    expect(sim.feed.hashes).toEqual([first, second, second, third]);
    expect(sim.feed.numbers).toEqual(numbersFrom0(4));
    expect(sim.log.faults('apply_nonce_twice_every')).toMatchObject([{ hash: second, nonce: 1 }]);
    expect(await surplusOf(sim, sent)).toBe(0n);
    expect(await sim.rpc.count('eth_getTransactionCount', TestWallet.rich().hex, 'latest')).toBe(3n);
    expect(await sim.rpc.call('eth_getBlockByNumber', '0x2', false)).toMatchObject({
      transactions: [second],
    });
  });

  it('skip_nonce_every: the nonce skips one; the old and the new one are both accepted', async () => {
    await using sim = await RunningSim.start({ skip_nonce_every: 2 });
    const { hex } = TestWallet.rich();
    const sent = await sendInTurn(sim, 3);
    const told = await sim.rpc.count('eth_getTransactionCount', hex, 'latest');

    const followed = await sendVia(sim, TestWallet.rich().sign({ nonce: Number(told) }));

    expect(told).toBe(4n);
    expect(followed.error).toBeUndefined();
    expect(await sim.rpc.count('eth_getTransactionCount', hex, 'latest')).toBe(6n);
    expect(sim.log.faults('skip_nonce_every')).toMatchObject([
      { hash: sent[1]?.hash, account: hex, nonce: 1 },
      { account: hex, nonce: 4 },
    ]);
  });

  it('gas_over_limit_every: a receipt has more gas than the limit, and the fee includes it', async () => {
    await using sim = await RunningSim.start({ gas_over_limit_every: 2 });

    const sent = await sendInTurn(sim, 3);

    const used = await Promise.all(
      sent.map(async (signed) => Number((await receiptVia(sim, signed))?.gasUsed)),
    );
    expect(used[1]).toBe(100_001);
    expect(Math.max(used[0] ?? NaN, used[2] ?? NaN)).toBeLessThan(100_000);
    expect(await surplusOf(sim, sent)).toBe(0n);
    expect(sim.log.faults('gas_over_limit_every')).toMatchObject([{ hash: sent[1]?.hash }]);
  });
});

describe('faults of requests', () => {
  it('http_429_every: a request is rejected, and accepted when repeated', async () => {
    await using sim = await RunningSim.start({ http_429_every: 2 });
    await sendInTurn(sim, 1);
    const signed = TestWallet.rich().sign({ nonce: 1 });

    const turnedAway = await sendVia(sim, signed);
    const taken = await sendVia(sim, signed);

    expect(turnedAway).toMatchObject({ status: 429, error: { code: -32_005 } });
    expect(taken.result).toBe(signed.hash);
    expect(sim.log.faults('http_429_every')).toMatchObject([{ hash: signed.hash }]);
  });

  it.each(['hang_every', 'reset_every'] as const)(
    '%s: the request gets no response, and nothing is sequenced',
    async (name) => {
      await using sim = await RunningSim.start({ [name]: 2 });
      await sendInTurn(sim, 1);
      const signed = TestWallet.rich().sign({ nonce: 1 });
      const patience = new AbortController();

      const unanswered = fetch(sim.rpc.url, {
        method: 'POST',
        signal: patience.signal,
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'eth_sendRawTransaction',
          params: [signed.raw],
        }),
      }).then(
        () => 'answered',
        () => 'failed',
      );
      if (name === 'hang_every') {
        while (sim.log.faults(name).length === 0) await sim.rpc.call('eth_chainId');
        patience.abort();
      }

      expect(await unanswered).toBe('failed');
      expect(sim.log.faults(name)).toMatchObject([{ hash: signed.hash }]);
      expect(await sim.rpc.count('eth_getTransactionCount', TestWallet.rich().hex, 'latest')).toBe(1n);
      expect((await sendVia(sim, signed)).result).toBe(signed.hash);
    },
  );

  it('accept_then_drop_every: the hash is returned, and the transaction is dropped', async () => {
    await using sim = await RunningSim.start({ accept_then_drop_every: 2 });
    const sent = await sendInTurn(sim, 2);
    const again = await sendVia(sim, TestWallet.rich().sign({ nonce: 1, value: 2n }));

    await sim.feed.until((reader) => reader.hashes.length === 2);
    expect(sim.feed.hashes).toEqual([sent[0]?.hash, again.result]);
    expect(await receiptVia(sim, sent[1] as SignedHex)).toBeNull();
    expect(sim.log.faults('accept_then_drop_every')).toMatchObject([{ hash: sent[1]?.hash, nonce: 1 }]);
  });

  it('error_but_include_every: an error is returned for an included transaction', async () => {
    await using sim = await RunningSim.start({ error_but_include_every: 2 });
    await sendInTurn(sim, 1);
    const signed = TestWallet.rich().sign({ nonce: 1 });

    const reply = await sendVia(sim, signed);

    await sim.feed.until((reader) => reader.hashes.includes(signed.hash));
    expect(reply.error).toEqual({ code: -32_000, message: 'context deadline exceeded' });
    expect(await receiptVia(sim, signed)).toMatchObject({ blockNumber: '0x2' });
    expect(sim.log.faults('error_but_include_every')).toMatchObject([{ hash: signed.hash }]);
  });
});

describe('the flag --fault', () => {
  it('accepts exactly the faults documented in docs/sequencer.md', () => {
    const document = readFileSync(join(import.meta.dirname, '../../../docs/sequencer.md'), 'utf8');

    const told = Array.from(document.matchAll(/^\| `([a-z0-9_]+)` +\|/gm), ([, name]) => name);

    expect(told.filter((name) => !['anvil', 'sim'].includes(name ?? ''))).toEqual(FAULT_NAMES);
  });

  it('parses faults with their numbers', () => {
    expect(parseFaults(['mint_wei_every=3', 'delay_feed_ms=250'])).toEqual({
      mint_wei_every: 3,
      delay_feed_ms: 250,
    });
  });

  it.each([
    ['mint_wei_every', /expected name=number, got "mint_wei_every"/],
    ['mint_wei_every=', /expected name=number/],
    ['mint_wei_every=0', /mint_wei_every: expected a number from 1/],
    ['mint_wei_every=-1', /expected name=number/],
    ['mint_weis_every=1', /unknown fault mint_weis_every: did you mean mint_wei_every\?/],
    ['wrong_chain_header=2', /wrong_chain_header: expected 1/],
  ])('rejects %s', (text, message) => {
    expect(() => parseFaults([text])).toThrow(message);
  });

  it('rejects a repeated name', () => {
    expect(() => parseFaults(['hang_every=1', 'hang_every=2'])).toThrow(/hang_every is given twice/);
  });
});
