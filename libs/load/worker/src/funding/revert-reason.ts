/** Why executions failed, in the words of their contracts. */
import { ContractAbi, fromHex, toQuantity } from '#load/chain';
import { DomainError } from '#platform/foundation';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { cleanMessage, RpcFailure } from '../rpc/rpc-reply.ts';

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

const TRACE = { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } };

/** The reason by the node's trace; without traces, by the same call at the state before the block. */
export async function reasonOfFailed(
  rpc: JsonRpc,
  failed: FailedTransaction,
  errors: readonly string[],
): Promise<string> {
  const abi = new ContractAbi(errors);
  const traced = await unlessRefused(
    rpc.call('debug_traceTransaction', [failed.hash, TRACE], (trace) => tracedReason(abi, trace)),
  );
  if (typeof traced === 'string') return traced;
  const { from, to, data, value, gasLimit, blockNumber } = failed;
  const call = {
    from,
    ...(to !== null && { to }),
    data,
    value: toQuantity(value),
    gas: toQuantity(gasLimit),
  };
  const replayed = await unlessRefused(
    rpc.call(
      'eth_call',
      [call, toQuantity(blockNumber - 1)],
      () => 'unknown: it succeeds at the state before its block',
    ),
  );
  return replayed instanceof RpcFailure ? reasonOfFailure(replayed, abi) : replayed;
}

/** The reason in a node's answer to a call or an estimate. */
export function reasonOfFailure({ data, message }: RpcFailure, abi: ContractAbi): string {
  if (data === undefined) return message;
  return abi.reasonOf(fromHex(data));
}

function tracedReason(abi: ContractAbi, trace: unknown): string | undefined {
  const { error, output } = (typeof trace === 'object' && trace !== null ? trace : {}) as Readonly<
    Record<string, unknown>
  >;
  if (typeof output === 'string' && output.length > 2) return decoded(abi, output);
  return typeof error === 'string' ? cleanMessage(error) : undefined;
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
