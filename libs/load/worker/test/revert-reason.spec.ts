import { afterEach, describe, expect, it } from '@jest/globals';
import { JsonRpc } from '#load/worker';
import { type FailureReason, reasonOfFailed } from '../src/funding/revert-reason.ts';
import { failure, result, type RpcRequest, ScriptedRpc } from './support/scripted-rpc.ts';

const FAILED = {
  hash: `0x${'11'.repeat(32)}`,
  from: `0x${'22'.repeat(20)}`,
  to: `0x${'33'.repeat(20)}`,
  data: '0x01020304',
  value: 0n,
  gasLimit: 147_825n,
  blockNumber: 9,
};
const OUT_OF_GAS = { text: 'out of gas: its limit was 147,825', isOutOfGas: true };
const REVERTED = { error: 'execution reverted' };
const NO_TRACES = (id: number): string =>
  failure(id, -32_601, 'the method debug_traceTransaction does not exist');

describe('the reason of a failed execution', () => {
  let rpc: ScriptedRpc | undefined;
  let client: JsonRpc | undefined;

  afterEach(async () => {
    await client?.close();
    await rpc?.stop();
  });

  async function reasonBy(answer: (request: RpcRequest, gas: number) => string): Promise<FailureReason> {
    rpc = await ScriptedRpc.start((request, reply) => {
      const { gas } = request.params[0] as { gas?: string };
      reply.end(answer(request, Number(gas)));
    });
    client = new JsonRpc({ url: rpc.url, timeoutMs: 2_000, patienceMs: 0 });
    return reasonOfFailed(client, FAILED, []);
  }

  it.each([
    ['the transaction', { error: 'out of gas' }],
    ['a call that it makes', { ...REVERTED, calls: [{ type: 'CALL' }, { error: 'OutOfGas' }] }],
    ['a call of a call', { ...REVERTED, calls: [{ ...REVERTED, calls: [{ error: 'out of gas' }] }] }],
  ])('is out of gas where the trace has it for %s', async (_name, trace) => {
    expect(await reasonBy(({ id }) => result(id, trace))).toEqual(OUT_OF_GAS);
  });

  it.each([
    ['in a call that succeeds nevertheless', { ...REVERTED, calls: [{ calls: [{ error: 'out of gas' }] }] }],
    ['nowhere', { ...REVERTED, calls: [null, 7, { error: 3 }] }],
  ])('is the word of the node where the trace has it %s', async (_name, trace) => {
    expect(await reasonBy(({ id }) => result(id, trace))).toEqual({
      text: 'execution reverted',
      isOutOfGas: false,
    });
  });

  it('is the error of the contract, also after a call that ran out of gas', async () => {
    const words = ['20', '2', '6e6f'.padEnd(64, '0')].map((word) => word.padStart(64, '0'));
    const trace = { ...REVERTED, output: `0x08c379a0${words.join('')}`, calls: [{ error: 'out of gas' }] };

    expect(await reasonBy(({ id }) => result(id, trace))).toEqual({ text: 'Error("no")', isOutOfGas: false });
  });

  it('is out of gas if the call succeeds with more gas, where the node has no traces', async () => {
    const reason = await reasonBy(({ id, method }, gas) => {
      if (method !== 'eth_call') return NO_TRACES(id);
      return gas > 160_000 ? result(id, '0x') : failure(id, 3, 'execution reverted');
    });

    expect(reason).toEqual(OUT_OF_GAS);
  });

  it('is that of the call if it fails with more gas too', async () => {
    const reason = await reasonBy(({ id, method }) =>
      method === 'eth_call' ? failure(id, 3, 'execution reverted') : NO_TRACES(id),
    );

    expect(reason).toEqual({ text: 'eth_call: reverted: execution reverted', isOutOfGas: false });
  });

  it('is unknown if the call succeeds at the state before its block', async () => {
    const reason = await reasonBy(({ id, method }) =>
      method === 'eth_call' ? result(id, '0x') : result(id, null),
    );

    expect(reason).toEqual({
      text: 'unknown: it succeeds at the state before its block',
      isOutOfGas: false,
    });
  });
});
