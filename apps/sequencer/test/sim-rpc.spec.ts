import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { connect } from 'node:net';
import { once } from 'node:events';
import { text as textOf } from 'node:stream/consumers';
import { RunningSim } from './support/running-sim.ts';
import { TestWallet } from './support/test-wallet.ts';

let sim: RunningSim;
beforeAll(async () => {
  sim = await RunningSim.start();
});
afterAll(() => sim[Symbol.asyncDispose]());

const METHODS = [
  'eth_blockNumber',
  'eth_call',
  'eth_chainId',
  'eth_estimateGas',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockReceipts',
  'eth_getCode',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_maxPriorityFeePerGas',
  'eth_sendRawTransaction',
  'eth_sendRawTransactionConditional',
  'eth_sendRawTransactionSync',
  'eth_syncing',
  'net_version',
  'timeboost_sendExpressLaneTransaction',
  'web3_clientVersion',
  'web3_sha3',
];
const ADDRESS = `0x${'11'.repeat(20)}`;
const HASH = `0x${'22'.repeat(32)}`;

describe('JSON-RPC over HTTP', () => {
  it.each([
    ['{oops', -32_700, 'parse error'],
    ['7', -32_600, 'invalid request'],
    [
      '{"jsonrpc":"2.0","id":1,"method":"eth_mine"}',
      -32_601,
      'the method eth_mine does not exist/is not available',
    ],
    [
      '{"jsonrpc":"2.0","id":1,"method":"toString"}',
      -32_601,
      'the method toString does not exist/is not available',
    ],
    ['{"jsonrpc":"2.0","id":1,"method":"eth_getBalance"}', -32_602, 'missing value for required argument 0'],
    [
      '{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0x12"]}',
      -32_602,
      'invalid argument 0: expected 20 bytes, got 1',
    ],
  ])('answers %s with an error', async (body, code, message) => {
    const { status, text } = await sim.rpc.post(body);

    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', error: { code, message } });
  });

  it('answers a batch in order, without its notifications', async () => {
    const call = (id: number | undefined, method: string) => ({ jsonrpc: '2.0', id, method });
    const batch = [
      call(1, 'eth_chainId'),
      call(undefined, 'eth_chainId'),
      call(2, 'none'),
      call(3, 'net_version'),
    ];

    const { text } = await sim.rpc.post(JSON.stringify(batch));

    expect(JSON.parse(text)).toEqual([
      { jsonrpc: '2.0', id: 1, result: '0x64aba' },
      { jsonrpc: '2.0', id: 2, error: { code: -32_601, message: expect.any(String) } },
      { jsonrpc: '2.0', id: 3, result: '412346' },
    ]);
  });

  it('executes a batch in sequence: all transactions of one sender are included', async () => {
    const wallet = TestWallet.rich();
    wallet.nonce = Number(await sim.rpc.count('eth_getTransactionCount', wallet.hex, 'latest'));
    const signed = Array.from({ length: 3 }, () => wallet.sign());
    const calls = signed.map(({ raw }, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'eth_sendRawTransaction',
      params: [raw],
    }));

    const { text } = await sim.rpc.post(JSON.stringify(calls));

    expect(JSON.parse(text)).toEqual(signed.map(({ hash }, id) => ({ jsonrpc: '2.0', id, result: hash })));
  });

  it('returns no content for a notification', async () => {
    expect(await sim.rpc.post('{"jsonrpc":"2.0","method":"eth_chainId"}')).toEqual({ status: 200, text: '' });
  });

  it('accepts only POST, of at most 5 MiB', async () => {
    const get = await fetch(sim.rpc.url);
    const large = await sim.rpc.post('x'.repeat(5 * 2 ** 20 + 1));

    expect([get.status, get.headers.get('allow'), large.status]).toEqual([405, 'POST', 413]);
  });

  it('rejects invalid HTTP', async () => {
    const socket = connect(sim.node.rpcPort, '127.0.0.1');
    await once(socket, 'connect');

    socket.end('hello\r\n\r\n');

    expect(await textOf(socket)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('answers any request, and keeps running', async () => {
    const param = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(ADDRESS, HASH, 'latest', 'earliest', '0x0', '0x', '0xzz', {
        to: ADDRESS,
        data: '0x70a08231',
      }),
      fc.record({ from: fc.jsonValue(), to: fc.jsonValue(), value: fc.jsonValue() }, { requiredKeys: [] }),
      fc.record({ blockNumber: fc.jsonValue() }),
    );
    const asked = fc.tuple(fc.constantFrom(...METHODS), fc.array(param, { maxLength: 3 }));

    await fc.assert(
      fc.asyncProperty(asked, async ([method, params]) => {
        const reply = await sim.rpc.reply(method, ...params);

        expect(reply.status).toBe(200);
        expect(reply.error === undefined).toBe(reply.result !== undefined);
        if (reply.error !== undefined) expect([-32_000, -32_602]).toContain(reply.error.code);
      }),
      { numRuns: 400 },
    );
  });
});

describe('queries of the chain', () => {
  it('return null or geth’s error for missing objects', async () => {
    const nothing = [
      await sim.rpc.call('eth_getBlockByNumber', '0xffffff', false),
      await sim.rpc.call('eth_getBlockByHash', HASH, false),
      await sim.rpc.call('eth_getBlockReceipts', '0xffffff'),
      await sim.rpc.call('eth_getTransactionReceipt', HASH),
      await sim.rpc.call('eth_getTransactionByHash', HASH),
    ];
    const balance = await sim.rpc.reply('eth_getBalance', ADDRESS, '0xffffff');

    expect(nothing).toEqual([null, null, null, null, null]);
    expect(balance.error).toEqual({ code: -32_000, message: 'header not found' });
  });

  it('return constant fees', async () => {
    expect(await sim.rpc.count('eth_gasPrice')).toBe(100_000_000n);
    expect(await sim.rpc.count('eth_maxPriorityFeePerGas')).toBe(0n);
    expect(await sim.rpc.call('eth_feeHistory', '0x2', 'earliest', [50])).toEqual({
      oldestBlock: '0x0',
      baseFeePerGas: ['0x5f5e100', '0x5f5e100'],
      gasUsedRatio: [0],
      reward: [['0x0']],
    });
  });
});
