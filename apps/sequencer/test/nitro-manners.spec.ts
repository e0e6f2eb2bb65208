/** The behaviour of a Nitro sequencer that clients rely on. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import { checksumAddress } from '#load/chain';
import { RunningSim } from './support/running-sim.ts';
import { type SignedHex, TestWallet } from './support/test-wallet.ts';

const TOO_LOW_FOR_ANYTHING = 99_999_999n;

let sim: RunningSim;
let rich: TestWallet;
beforeEach(async () => {
  sim = await RunningSim.start();
  rich = TestWallet.rich();
});
afterEach(() => sim[Symbol.asyncDispose]());

const send = ({ raw }: SignedHex) => sim.rpc.reply('eth_sendRawTransaction', raw);
const messageOf = async (signed: SignedHex) => (await send(signed)).error?.message;

describe('a transaction', () => {
  it('is in a block and in the feed when the response arrives', async () => {
    const signed = rich.sign();

    const { result } = await send(signed);

    const [receipt, { hashes }] = await Promise.all([
      sim.rpc.call<Record<string, string>>('eth_getTransactionReceipt', signed.hash),
      sim.feed.until((reader) => reader.hashes.length > 0),
    ]);
    expect(result).toBe(signed.hash);
    expect(receipt['blockNumber']).toBe('0x1');
    expect(hashes).toEqual([signed.hash]);
  });

  it('is in the feed message with the number of its block', async () => {
    for (let i = 0; i < 3; i++) await send(rich.sign());

    const { messages } = await sim.feed.until((reader) => reader.hashes.length === 3);
    const blocks = await Promise.all(
      messages
        .slice(1)
        .map(({ sequenceNumber }) =>
          sim.rpc.call<Record<string, string>>(
            'eth_getBlockByNumber',
            `0x${sequenceNumber.toString(16)}`,
            false,
          ),
        ),
    );
    expect(messages.map(({ sequenceNumber, kind }) => [sequenceNumber, kind])).toEqual([
      [0, 11],
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
    expect(blocks.map((block) => block['hash'])).toEqual(messages.slice(1).map(({ blockHash }) => blockHash));
  });

  it('waits for its predecessor', async () => {
    const [first, second, third] = [rich.sign(), rich.sign(), rich.sign()];

    const replies = Promise.all([send(third), send(second), send(first)]);

    expect((await replies).map(({ result }) => result)).toEqual([third.hash, second.hash, first.hash]);
    const { hashes } = await sim.feed.until((reader) => reader.hashes.length === 3);
    expect(hashes).toEqual([first.hash, second.hash, third.hash]);
  });

  it('is rejected if its predecessor does not arrive within a second', async () => {
    expect(await messageOf(rich.sign({ nonce: 5 }))).toBe(
      `nonce too high: address ${checksumAddress(rich.address)}, tx: 5 state: 0`,
    );
  });

  it('is rejected at once if its nonce is already waiting', async () => {
    const waiting = send(rich.sign({ nonce: 1 }));
    const refused = send(rich.sign({ nonce: 1, value: 2n }));
    const first = await Promise.race([waiting.then(() => 'waiting'), refused.then(() => 'refused')]);
    await send(rich.sign({ nonce: 0 }));

    expect(first).toBe('refused');
    expect((await refused).error?.message).toMatch(/^nonce too high/);
    expect((await waiting).result).toMatch(/^0x/);
  });

  it('has a too low nonce when sent again', async () => {
    const signed = rich.sign();

    const replies = await Promise.all([send(signed), send(signed)]);
    const later = await messageOf(signed);

    const texts = replies.map(({ result, error }) => error?.message ?? result).sort();
    expect(texts).toEqual([
      signed.hash,
      `nonce too low: address ${checksumAddress(rich.address)}, tx: 0 state: 1`,
    ]);
    expect(later).toMatch(/^nonce too low/);
  });

  it('is not sequenced if its sender disconnects first', async () => {
    const [first, second] = [rich.sign(), rich.sign()];
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_sendRawTransaction',
      params: [second.raw],
    });
    const socket = connect(sim.node.rpcPort, '127.0.0.1');
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    await serverHasCaughtUp();
    socket.destroy();
    await serverHasCaughtUp();

    await send(first);

    const { hashes } = await sim.feed.until((reader) => reader.hashes.length > 0);
    expect(hashes).toEqual([first.hash]);
    expect(await sim.rpc.count('eth_getTransactionCount', rich.hex, 'latest')).toBe(1n);
  });
});

/** Each response needs a turn of the server's event loop, which processes everything before it. */
async function serverHasCaughtUp(): Promise<void> {
  for (let round = 0; round < 20; round++) await sim.rpc.call('eth_chainId');
}

describe('a transaction is rejected', () => {
  const poor = TestWallet.named('poor');
  const address = checksumAddress(poor.address);
  const richAddress = checksumAddress(TestWallet.rich().address);

  it.each([
    [
      'without funds',
      poor.sign({ nonce: 0, gasLimit: 30_000n }),
      `insufficient funds for gas * price + value: address ${address} have 0 want 60000000000001`,
    ],
    [
      'below the base fee',
      poor.sign({ nonce: 0, maxFeePerGas: TOO_LOW_FOR_ANYTHING }),
      `max fee per gas less than block base fee: address ${address}, maxFeePerGas: 99999999 baseFee: 100000000`,
    ],
    [
      'with a tip above its fee',
      poor.sign({ nonce: 0, maxPriorityFeePerGas: 2_000_000_001n }),
      'max priority fee per gas higher than max fee per gas: ' +
        `address ${address}, maxPriorityFeePerGas: 2000000001, maxFeePerGas: 2000000000`,
    ],
    [
      'with 21,000 gas, which leaves none for the parent chain',
      poor.sign({ nonce: 0, gasLimit: 21_000n }),
      'intrinsic gas too low',
    ],
    [
      'of another chain',
      poor.sign({ nonce: 0, chainId: 1 }),
      'invalid chain id for signer: have 1 want 412346',
    ],
    ['of too many bytes', poor.sign({ nonce: 0, data: Buffer.alloc(95_000) }), 'oversized data'],
    ['with invalid bytes', { raw: '0x02c0', hash: '' }, expect.stringMatching(/^rlp: expected an item/)],
    [
      'with a used nonce',
      TestWallet.rich().sign({ nonce: 0, value: 3n }),
      `nonce too low: address ${richAddress}, tx: 0 state: 1`,
    ],
  ])('%s', async (_, signed, message) => {
    await send(rich.sign());

    expect((await send(signed)).error).toEqual({ code: -32_000, message });
  });
});
