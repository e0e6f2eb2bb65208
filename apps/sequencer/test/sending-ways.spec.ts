import { afterEach, describe, expect, it } from '@jest/globals';
import { ANY_SEQUENCE, fromHex, isTimeboosted, signSubmission, toHex, toQuantity } from '#load/chain';
import { AUCTION_CONTRACT } from '../src/sim/express-lane.ts';
import { RunningSim } from './support/running-sim.ts';
import { type SignedHex, TestWallet } from './support/test-wallet.ts';

const CONTROLLER_KEY = fromHex(`0x${'0'.repeat(63)}7`);
const CONTROLLER = toHex(new TestWallet(CONTROLLER_KEY).address);
const A_DAY_S = 86_400;
const TIMEBOOST = { timeboostController: CONTROLLER, timeboostRoundS: A_DAY_S };
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';
const ZERO = `0x${'00'.repeat(32)}`;
const ONE = `0x${'00'.repeat(31)}01`;
const ACCOUNT = `0x${'11'.repeat(20)}`;

let sim: RunningSim;
afterEach(() => sim[Symbol.asyncDispose]());

interface LaneOverrides {
  readonly round?: number;
  readonly chainId?: number;
  readonly contract?: string;
  readonly key?: Uint8Array;
  readonly options?: object | null;
}

async function currentRound(): Promise<number> {
  const view = await sim.rpc.call<string>('eth_call', { to: AUCTION_CONTRACT, data: '0x0d253fbe' }, 'latest');
  return Number(BigInt(`0x${view.slice(2 + 64, 2 + 128)}`));
}

async function submission(
  { raw }: SignedHex,
  sequence: bigint,
  { key = CONTROLLER_KEY, contract = AUCTION_CONTRACT, chainId = 412_346, ...more }: LaneOverrides = {},
): Promise<object> {
  const round = more.round ?? (await currentRound());
  const signed = { chainId, round, sequence, auctionContract: fromHex(contract), raw: fromHex(raw) };
  return {
    transaction: raw,
    options: more.options ?? null,
    chainId: toQuantity(chainId),
    round: toQuantity(round),
    auctionContractAddress: contract,
    sequenceNumber: toQuantity(sequence),
    signature: toHex(signSubmission(signed, key)),
  };
}

async function byLane(signed: SignedHex, sequence: bigint, more: LaneOverrides = {}): Promise<unknown> {
  const method = 'timeboost_sendExpressLaneTransaction';
  const { result, error } = await sim.rpc.reply(method, await submission(signed, sequence, more));
  return error === undefined ? result : error.message;
}

describe('eth_sendRawTransactionConditional', () => {
  it.each([
    ['blockNumberMax', { blockNumberMax: '0x1' }, 'BlockNumberMax condition not met'],
    ['blockNumberMin', { blockNumberMin: 999_999_999 }, 'BlockNumberMin condition not met'],
    ['timestampMax', { timestampMax: '1' }, 'TimestampMax condition not met'],
    ['timestampMin', { timestampMin: '0xffffffff' }, 'TimestampMin condition not met'],
    ['a storage root', { knownAccounts: { [ACCOUNT]: ONE } }, 'Storage root hash condition not met'],
    ['a slot', { knownAccounts: { [ACCOUNT]: { [ONE]: ONE } } }, 'Storage slot value condition not met'],
  ])('refuses a transaction with the code of Nitro, whose %s does not hold', async (_, options, message) => {
    sim = await RunningSim.start();
    const { raw } = TestWallet.rich().sign();

    const { error } = await sim.rpc.reply('eth_sendRawTransactionConditional', raw, options);

    expect(error).toEqual({ code: -32_003, message });
  });

  it('sequences a transaction whose conditions hold', async () => {
    sim = await RunningSim.start();
    const { raw, hash } = TestWallet.rich().sign();
    const options = {
      knownAccounts: { [ACCOUNT]: { [ONE]: ZERO }, [`0x${'22'.repeat(20)}`]: EMPTY_ROOT },
      blockNumberMin: '0x1',
      timestampMax: 9_999_999_999,
    };

    expect(await sim.rpc.call('eth_sendRawTransactionConditional', raw, options)).toBe(hash);
  });

  it.each([[{ timestampMax: -1 }], [{ knownAccounts: [] }], [7], [{ knownAccounts: { [ACCOUNT]: '0x12' } }]])(
    'rejects the malformed options %j',
    async (options) => {
      sim = await RunningSim.start();

      const { error } = await sim.rpc.reply(
        'eth_sendRawTransactionConditional',
        TestWallet.rich().sign().raw,
        options,
      );

      expect(error?.code).toBe(-32_602);
    },
  );
});

describe('eth_sendRawTransactionSync', () => {
  it('answers with the receipt', async () => {
    sim = await RunningSim.start();
    const { raw, hash } = TestWallet.rich().sign();

    const receipt = await sim.rpc.call<object>('eth_sendRawTransactionSync', raw, 60_000);

    expect(receipt).toEqual(await sim.rpc.call('eth_getTransactionReceipt', hash));
    expect(receipt).toMatchObject({ transactionHash: hash, status: '0x1' });
  });

  it('answers with code 4 and the hash after the time-out, and sequences the transaction later', async () => {
    sim = await RunningSim.start({}, { blockMs: 60_000 });
    const rich = TestWallet.rich();
    await sim.rpc.call('eth_sendRawTransaction', rich.sign().raw);
    const { raw, hash } = rich.sign();

    const { error } = await sim.rpc.reply('eth_sendRawTransactionSync', raw, 1);

    expect(error).toMatchObject({ code: 4, data: hash });
    expect(error?.message).toContain('was added to the transaction pool but');
  });

  it('answers with the reason of a refusal', async () => {
    sim = await RunningSim.start();

    const { error } = await sim.rpc.reply(
      'eth_sendRawTransactionSync',
      TestWallet.named('poor').sign({ nonce: 0 }).raw,
    );

    expect(error?.message).toContain('insufficient funds');
  });
});

describe('timeboost_sendExpressLaneTransaction', () => {
  it('is not enabled without a controller', async () => {
    sim = await RunningSim.start();

    expect(await byLane(TestWallet.rich().sign(), 0n, { round: 1 })).toBe('timeboost not enabled');
  });

  it('answers null, and the metadata of the block state the lane of each transaction', async () => {
    sim = await RunningSim.start({}, { ...TIMEBOOST, blockMs: 600 });
    const rich = TestWallet.rich();
    const other = TestWallet.named('other');
    const fund = rich.sign({ to: other.address, value: 10n ** 18n });
    await sim.rpc.call('eth_sendRawTransaction', fund.raw);
    const normal = sim.rpc.call('eth_sendRawTransaction', rich.sign().raw);
    const lane = other.sign();

    expect(await byLane(lane, 0n)).toBeNull();

    await normal;
    await sim.feed.until(({ hashes }) => hashes.includes(lane.hash));
    const boosted = sim.feed.messages.flatMap(({ blockMetadata, l2Msg }) =>
      l2Msg.length === 0 ? [] : [isTimeboosted(blockMetadata ?? new Uint8Array(0), 0)],
    );
    expect(boosted[0]).toBe(false);
    expect(boosted).toContain(true);
    expect(sim.feed.messages.at(-1)?.seal).toBeDefined();
  });

  it('sequences by number, also if a later number comes first', async () => {
    sim = await RunningSim.start({}, TIMEBOOST);
    const rich = TestWallet.rich();
    const [first, second] = [rich.sign(), rich.sign()];

    expect(await byLane(second, 1n)).toBeNull();
    expect(await byLane(first, 0n)).toBeNull();

    await sim.feed.until(({ hashes }) => hashes.includes(second.hash));
    const { hashes } = sim.feed;
    expect(hashes.indexOf(first.hash)).toBeLessThan(hashes.indexOf(second.hash));
  });

  it('takes a transaction without an order at once', async () => {
    sim = await RunningSim.start({}, TIMEBOOST);
    const signed = TestWallet.rich().sign();

    expect(await byLane(signed, ANY_SEQUENCE)).toBeNull();

    await sim.feed.until(({ hashes }) => hashes.includes(signed.hash));
  });

  it.each<readonly [string, LaneOverrides]>([
    ['NOT_EXPRESS_LANE_CONTROLLER', { key: fromHex(`0x${'0'.repeat(63)}9`) }],
    ['BAD_ROUND_NUMBER', { round: 3 }],
    ['WRONG_CHAIN_ID', { chainId: 1 }],
    ['WRONG_AUCTION_CONTRACT', { contract: ACCOUNT }],
    ['TimestampMax condition not met', { options: { timestampMax: 1 } }],
  ])('refuses with %s', async (reason, more) => {
    sim = await RunningSim.start({}, TIMEBOOST);

    expect(await byLane(TestWallet.rich().sign(), 0n, more)).toContain(reason);
  });

  it('refuses used numbers, except the same submission again', async () => {
    sim = await RunningSim.start({}, TIMEBOOST);
    const rich = TestWallet.rich();
    const [first, waiting, other] = [rich.sign(), rich.sign({ nonce: 7 }), rich.sign({ nonce: 8 })];
    await byLane(first, 0n);
    await byLane(waiting, 5n);

    expect(await byLane(waiting, 5n)).toBeNull();
    expect(await byLane(other, 0n)).toBe('SEQUENCE_NUMBER_TOO_LOW');
    expect(await byLane(other, 5n)).toBe('SEQUENCE_NUMBER_ALREADY_SEEN');
    expect(await byLane(other, 2_000n)).toContain('message sequence number has reached max allowed limit');
  });

  it('states the times of its rounds', async () => {
    sim = await RunningSim.start({}, TIMEBOOST);

    const view = await sim.rpc.call<string>(
      'eth_call',
      { to: AUCTION_CONTRACT, data: '0x0152682d' },
      'latest',
    );

    expect(BigInt(`0x${view.slice(66, 130)}`)).toBe(BigInt(A_DAY_S));
  });
});
