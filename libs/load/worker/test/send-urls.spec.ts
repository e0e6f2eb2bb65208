import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AddressBook, DEVELOPMENT_FUNDER_KEY, DEVELOPMENT_ACCOUNTS, fundAccounts } from '#load/worker';
import { failure, type RpcRequest, ScriptedRpc } from './support/scripted-rpc.ts';
import { CHAIN_ID, FUND_WEI, TestChain } from './support/test-chain.ts';
import { planFor, stage, TestRun } from './support/test-run.ts';

const SEND = 'eth_sendRawTransaction';
const COUNT = 8;

describe('a target with separate URLs', () => {
  let chain: TestChain;
  let sends: ScriptedRpc;
  let reads: ScriptedRpc;
  let sent: string[];
  let read: string[];

  beforeEach(async () => {
    chain = await TestChain.start();
    [sent, read] = [[], []];
    sends = await onlyFor((method) => method === SEND, sent);
    reads = await onlyFor((method) => method !== SEND, read);
  });
  afterEach(async () => {
    await Promise.all([sends.stop(), reads.stop()]);
    await chain.stop();
  });

  /** Forwards the methods to the chain, and refuses all others. */
  function onlyFor(takes: (method: string) => boolean, asked: string[]): Promise<ScriptedRpc> {
    const answer = async (request: RpcRequest): Promise<string> => {
      asked.push(request.method);
      if (!takes(request.method)) return failure(request.id, -32_601, 'rpc method is not whitelisted');
      const headers = { 'content-type': 'application/json' };
      const reply = await fetch(chain.rpcUrl, { method: 'POST', headers, body: JSON.stringify(request) });
      return reply.text();
    };
    return ScriptedRpc.start((_first, reply, all) => {
      void Promise.all(all.map(answer)).then((answers) =>
        reply.end(all.length === 1 ? answers[0] : `[${answers.join(',')}]`),
      );
    });
  }

  const plan = (rpcUrls: readonly string[], readUrls: readonly string[]): string =>
    planFor(chain, {
      rpcUrls,
      readUrls,
      accounts: { count: COUNT, reclaim: true },
      load: { stages: [stage(500, 40)] },
      mix: [
        { kind: 'transfer', weight: 2 },
        { kind: 'erc20_transfer', weight: 1 },
      ],
    });

  it('funds, deploys, loads and reclaims at the URL for sending, and asks all else of the other', async () => {
    const book = await AddressBook.derive(DEVELOPMENT_ACCOUNTS, 0, COUNT);
    await fundAccounts({
      target: { url: reads.url, sendUrl: sends.url, timeoutMs: 5_000, chainId: CHAIN_ID, priorityFee: 0n },
      funderKey: DEVELOPMENT_FUNDER_KEY,
      addresses: Array.from({ length: COUNT }, (_, at) => book.at(at)),
      fundWei: FUND_WEI,
    });

    const ended = await new TestRun(plan([sends.url], [reads.url])).toTheEnd();

    const { phase, tally } = ended.progress;
    // A busy machine may send fewer than planned.
    expect([phase, tally.sent]).toEqual(['done', tally.included]);
    expect(tally.included).toBeGreaterThan(0);
    expect(ended.rows('findings')).toEqual([]);
    expect(read).not.toContain(SEND);
    expect(new Set(sent)).toEqual(new Set([SEND, 'eth_chainId']));
  });

  it('refuses a URL for sending that takes no transactions', async () => {
    await chain.fund(COUNT);
    const { load } = new TestRun(plan([reads.url], [chain.rpcUrl]));

    const refusal: unknown = await load.check().catch((error: unknown) => error);

    await load.close();
    expect(refusal).toMatchObject({ details: { reason: 'rpc_takes_no_transactions' } });
  });

  it('refuses a URL for reading that does not say its chain', async () => {
    await chain.fund(COUNT);
    const { load } = new TestRun(plan([chain.rpcUrl], [sends.url]));

    const refusal: unknown = await load.check().catch((error: unknown) => error);

    await load.close();
    expect(refusal).toMatchObject({ code: 'RPC_FAILED', failure: 'method_missing' });
  });
});
