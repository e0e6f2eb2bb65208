/** Why executions failed, in the words of their contracts. */
import { ContractAbi, fromHex, toQuantity } from '#load/chain';
import { DomainError } from '#platform/foundation';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { cleanMessage, RpcFailure } from '../rpc/rpc-reply.ts';
import type { Members } from '../settlement/block-header.ts';

/** A transaction whose execution failed. Texts are hexadecimal. */
export interface FailedTransaction {
  readonly hash: string;
  readonly from: string;
  readonly to: string | null;
  readonly data: string;
  readonly value: bigint;
  readonly gasLimit: bigint;
  readonly blockNumber: number;
}

/** Why an execution failed. */
export interface FailureReason {
  readonly text: string;
  readonly isOutOfGas: boolean;
}

const TRACE = { tracer: 'callTracer' };
const OUT_OF_GAS = /out ?of ?gas/i;
/** Of the same call with so much more gas, to see whether it fails for another reason. */
const MORE_GAS = 8n;

/** The reason by the node's trace; without traces, by the same call at the state before the block. */
export async function reasonOfFailed(
  rpc: JsonRpc,
  failed: FailedTransaction,
  errors: readonly string[],
): Promise<FailureReason> {
  const abi = new ContractAbi(errors);
  const traced = await unlessRefused(
    rpc.call('debug_traceTransaction', [failed.hash, TRACE], (trace) => tracedReason(abi, trace)),
  );
  if (traced === 'out_of_gas') return outOfGas(failed);
  if (typeof traced === 'string') return { text: traced, isOutOfGas: false };
  const replayed = await replay(rpc, failed, failed.gasLimit);
  if (replayed === undefined)
    return { text: 'unknown: it succeeds at the state before its block', isOutOfGas: false };
  if (OUT_OF_GAS.test(replayed.message)) return outOfGas(failed);
  const saysNothing = replayed.data === undefined || replayed.data === NO_DATA;
  const hadTooLittle = saysNothing && (await replay(rpc, failed, failed.gasLimit * MORE_GAS)) === undefined;
  return hadTooLittle ? outOfGas(failed) : { text: reasonOfFailure(replayed, abi), isOutOfGas: false };
}

const NO_DATA = '0x';

function outOfGas({ gasLimit }: FailedTransaction): FailureReason {
  return { text: `out of gas: its limit was ${gasLimit.toLocaleString('en')}`, isOutOfGas: true };
}

/** How the call fails at the state before the block; undefined if it succeeds. */
function replay(
  rpc: JsonRpc,
  { from, to, data, value, blockNumber }: FailedTransaction,
  gasLimit: bigint,
): Promise<RpcFailure | undefined> {
  const call = {
    from,
    ...(to !== null && { to }),
    data,
    value: toQuantity(value),
    gas: toQuantity(gasLimit),
  };
  return unlessRefused(rpc.call('eth_call', [call, toQuantity(blockNumber - 1)], () => undefined));
}

/** The reason in a node's answer to a call or an estimate. */
export function reasonOfFailure({ data, message }: RpcFailure, abi: ContractAbi): string {
  if (data === undefined) return message;
  return abi.reasonOf(fromHex(data));
}

/** A call that runs out of gas leaves no output, and its callers revert without any. */
function tracedReason(abi: ContractAbi, trace: unknown): string | undefined {
  const { error, output } = partsOf(trace);
  if (typeof output === 'string' && output.length > NO_DATA.length) return decoded(abi, output);
  if (failedCalls(trace).some((one) => OUT_OF_GAS.test(String(one['error'])))) return 'out_of_gas';
  return typeof error === 'string' ? cleanMessage(error) : undefined;
}

/** A failed call, and the failed ones of those that it made, however deep. */
function failedCalls(trace: unknown): readonly Members[] {
  const found: Members[] = [];
  const open = [partsOf(trace)];
  for (let call = open.pop(); call !== undefined; call = open.pop()) {
    if (typeof call['error'] !== 'string') continue;
    found.push(call);
    const { calls } = call;
    if (Array.isArray(calls)) for (const one of calls as readonly unknown[]) open.push(partsOf(one));
  }
  return found;
}

function partsOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

function decoded(abi: ContractAbi, output: string): string | undefined {
  try {
    return abi.reasonOf(fromHex(output));
  } catch (error) {
    if (error instanceof DomainError) return undefined;
    throw error;
  }
}

async function unlessRefused<T>(asked: Promise<T>): Promise<T | RpcFailure> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RpcFailure) return error;
    throw error;
  }
}
