import { afterEach, describe, expect, it } from '@jest/globals';
import { addressOf } from '#load/chain';
import { DEVELOPMENT_FUNDER_KEY, fundAccounts, type FundingOptions, JsonRpc, reclaim } from '#load/worker';
import { Secret } from '#platform/foundation';
import { isTakenByAnother, Wallet } from '../src/funding/wallet.ts';
import { AccountKeys } from '../src/plan/account-keys.ts';
import { failure, result, type RpcRequest, ScriptedRpc } from './support/scripted-rpc.ts';

const GAS = 21_000n;
const ETHER = 10n ** 18n;
const ACCOUNTS = AccountKeys.ofSeed(new Secret('funding test'));

/** A node with scripted balances and answers. */
interface Node {
  readonly methods: string[];
  readonly answer: (request: RpcRequest) => string | undefined;
}

function answerOf({ methods, answer }: Node, request: RpcRequest): string {
  const { id, method } = request;
  methods.push(method);
  const own = answer(request);
  if (own !== undefined) return own;
  if (method === 'eth_getBlockByNumber')
    return result(id, {
      number: '0x1',
      hash: `0x${'11'.repeat(32)}`,
      timestamp: '0x1',
      baseFeePerGas: '0x3b9aca00',
    });
  if (method === 'eth_getTransactionCount') return result(id, '0x0');
  if (method === 'eth_estimateGas') return result(id, '0x5208');
  if (method === 'eth_getBalance') return result(id, `0x${(100n * ETHER).toString(16)}`);
  return failure(id, -32_000, 'transaction underpriced: gas tip cap 0, minimum needed 1000000');
}

describe('funding', () => {
  let rpc: ScriptedRpc | undefined;

  afterEach(() => rpc?.stop());

  async function start(node: Node): Promise<ScriptedRpc> {
    rpc = await ScriptedRpc.start((_request, reply, all) => {
      const answers = all.map((one) => answerOf(node, one));
      reply.end(all.length > 1 ? `[${answers.join(',')}]` : answers[0]);
    });
    return rpc;
  }

  function optionsFor(url: string, more: Partial<FundingOptions> = {}): FundingOptions {
    return {
      target: { url, timeoutMs: 2_000, chainId: 31_337, priorityFee: 0n },
      funderKey: DEVELOPMENT_FUNDER_KEY,
      addresses: [addressOf(ACCOUNTS.keyOf(0))],
      fundWei: ETHER,
      ...more,
    };
  }

  const poor = ({ id, method, params }: RpcRequest): string | undefined =>
    method === 'eth_getBalance' && params[0] !== FUNDER ? result(id, '0x0') : undefined;

  it('reports why the node accepts no payment', async () => {
    const { url } = await start({ methods: [], answer: poor });

    await expect(fundAccounts(optionsFor(url))).rejects.toMatchObject({
      code: 'PLAN_REFUSED',
      message:
        '1 account still holds too little: eth_sendRawTransaction: fee_too_low: ' +
        'transaction underpriced: gas tip cap 0, minimum needed 1000000',
    });
  });

  const silent = async (): Promise<{ readonly url: string; readonly asked: Promise<undefined> }> => {
    const asked = Promise.withResolvers<undefined>();
    rpc = await ScriptedRpc.start(() => asked.resolve(undefined));
    return { url: rpc.url, asked: asked.promise };
  };
  const reclaiming = (url: string, more: object): Promise<unknown> =>
    reclaim({
      ...optionsFor(url),
      to: addressOf(ACCOUNTS.keyOf(0)),
      keyOf: (position) => ACCOUNTS.keyOf(position),
      ...more,
    });
  const endless = { timeoutMs: 600_000, chainId: 31_337, priorityFee: 0n };

  it('ends, as does a reclaim, when the target does not answer, or the signal is aborted', async () => {
    const { url, asked } = await silent();
    const target = { url, ...endless };
    const ending = new AbortController();
    const aborted = [
      fundAccounts(optionsFor(url, { target, signal: ending.signal })),
      reclaiming(url, { target, signal: ending.signal }),
    ].map((work) => expect(work).rejects.toMatchObject({ code: 'RPC_FAILED' }));
    await asked;

    ending.abort();
    await Promise.all(aborted);

    const late = [
      fundAccounts(optionsFor(url, { target, standstillMs: 100 })),
      reclaiming(url, { target, standstillMs: 100 }),
    ].map((work) => expect(work).rejects.toMatchObject({ code: 'RPC_FAILED' }));
    await Promise.all(late);
  });

  it('estimates no gas with a given limit', async () => {
    const methods: string[] = [];
    const { url } = await start({ methods, answer: poor });

    await fundAccounts(optionsFor(url, { gasLimit: GAS })).catch(() => undefined);

    expect(methods).toContain('eth_sendRawTransaction');
    expect(methods).not.toContain('eth_estimateGas');
  });

  it('reports its cost before it pays, and pays nothing beyond the budget', async () => {
    const methods: string[] = [];
    const costs: bigint[] = [];
    const { url } = await start({ methods, answer: poor });
    const mostWei = ETHER + GAS * 4_000_000_000n;
    const options = optionsFor(url, { gasLimit: GAS, onCost: (wei) => costs.push(wei) });

    await expect(fundAccounts({ ...options, budgetWei: mostWei - 1n })).rejects.toMatchObject({
      code: 'PLAN_REFUSED',
      details: { reason: 'budget_exceeded' },
    });
    const sentBefore = methods.filter((method) => method === 'eth_sendRawTransaction').length;
    await fundAccounts({ ...options, budgetWei: mostWei }).catch(() => undefined);

    expect(sentBefore).toBe(0);
    expect(costs).toEqual([mostWei]);
  });

  it('returns the balances of the accounts, and reports rejected payments', async () => {
    const { url } = await start({ methods: [], answer: () => undefined });

    const done = await reclaim({
      target: { url, timeoutMs: 2_000, chainId: 31_337, priorityFee: 0n },
      to: addressOf(ACCOUNTS.keyOf(9)),
      addresses: [addressOf(ACCOUNTS.keyOf(0)), addressOf(ACCOUNTS.keyOf(1))],
      keyOf: (position) => ACCOUNTS.keyOf(position),
      gasLimit: GAS,
    });

    expect(done).toEqual({
      accounts: 2,
      sentWei: 0n,
      leftWei: 2n * 100n * ETHER,
      leftAccounts: 2,
      reason: expect.stringContaining('minimum needed 1000000'),
    });
  });
});

describe('reclaim', () => {
  it('leaves alone the funder, which is one of the accounts', async () => {
    const funder = addressOf(ACCOUNTS.keyOf(0));
    const methods: string[] = [];
    const rpc = await ScriptedRpc.start((_request, reply, all) => {
      const answers = all.map((one) => answerOf({ methods, answer: () => undefined }, one));
      reply.end(all.length > 1 ? `[${answers.join(',')}]` : answers[0]);
    });
    try {
      const done = await reclaim({
        target: { url: rpc.url, timeoutMs: 2_000, chainId: 31_337, priorityFee: 0n },
        to: funder,
        addresses: [funder],
        keyOf: (position) => ACCOUNTS.keyOf(position),
        gasLimit: GAS,
      });

      expect(done).toMatchObject({ leftWei: 0n, leftAccounts: 0, reason: null });
      expect(methods).not.toContain('eth_sendRawTransaction');
    } finally {
      await rpc.stop();
    }
  });

  /** A node with one account, which makes a block at each look; `take` decides on each payment. */
  async function reclaimed(take: (payment: number, node: { wei: bigint }) => string | undefined) {
    const node = { wei: 20n * ETHER };
    let head = 1;
    let payments = 0;
    const rpc = await ScriptedRpc.start(({ id, method }, reply) => {
      const block = { number: `0x${(++head).toString(16)}`, hash: `0x${'11'.repeat(32)}`, timestamp: '0x1' };
      const answers: Readonly<Record<string, () => unknown>> = {
        eth_getBlockByNumber: () => ({ ...block, baseFeePerGas: '0x3b9aca00' }),
        eth_getTransactionCount: () => '0x0',
        eth_getBalance: () => `0x${node.wei.toString(16)}`,
      };
      const answer = answers[method];
      const hash = answer === undefined ? take(++payments, node) : undefined;
      if (answer !== undefined) reply.end(result(id, answer()));
      else if (hash !== undefined) reply.end(result(id, hash));
      else reply.end(failure(id, -32_000, 'insufficient funds'));
    });
    try {
      const done = await reclaim({
        target: { url: rpc.url, timeoutMs: 2_000, chainId: 31_337, priorityFee: 0n },
        to: addressOf(ACCOUNTS.keyOf(9)),
        addresses: [addressOf(ACCOUNTS.keyOf(0))],
        keyOf: (position) => ACCOUNTS.keyOf(position),
        gasLimit: GAS,
      });
      return { done, payments };
    } finally {
      await rpc.stop();
    }
  }
  const HASH = `0x${'22'.repeat(32)}`;

  it('counts payments that are accepted and dropped as left', async () => {
    const { done, payments } = await reclaimed(() => HASH);

    expect(done).toMatchObject({ sentWei: 0n, leftWei: 20n * ETHER, leftAccounts: 1 });
    expect(done.reason).toContain('in no block');
    expect(payments).toBe(3);
  });

  it('repeats a refused payment in the next round', async () => {
    const { done, payments } = await reclaimed((payment, node) => {
      if (payment === 1) return undefined;
      node.wei = GAS;
      return HASH;
    });

    expect(done).toMatchObject({ leftWei: 0n, leftAccounts: 0, reason: null });
    expect(done.sentWei).toBeGreaterThan(19n * ETHER);
    expect(payments).toBe(2);
  });
});

const FUNDER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';

describe('a wallet of a shared account', () => {
  it('reports that its nonce was used, long before its time-out', async () => {
    const answers: Readonly<Record<string, unknown>> = {
      eth_sendRawTransaction: `0x${'22'.repeat(32)}`,
      eth_getTransactionReceipt: null,
    };
    let counted = 0;
    const rpc = await ScriptedRpc.start(({ id, method }, reply) => {
      const count = (): string => (counted++ === 0 ? '0x7' : '0x8');
      reply.end(result(id, method === 'eth_getTransactionCount' ? count() : answers[method]));
    });
    const client = new JsonRpc({ url: rpc.url, timeoutMs: 2_000 });
    try {
      const fees = { maxFee: 10n, priorityFee: 0n };
      const context = { rpc: client, chainId: 31_337, fees, patienceMs: 600_000 };
      const wallet = await Wallet.open(ACCOUNTS.keyOf(0), context);
      const sent = wallet.sendAndWait({ to: null, value: 0n, data: new Uint8Array(1) }, GAS);

      const error: unknown = await sent.catch((reason: unknown) => reason);
      expect(error).toMatchObject({ failure: 'nonce_taken' });
      expect(isTakenByAnother(error)).toBe(true);
    } finally {
      await client.close();
      await rpc.stop();
    }
  });
});
