/** Lies in single JSON-RPC answers. */
import { type Json, type Lie, type MakeLie, quantity, type HonestNode } from './lie.ts';

const EVERY = 5;
const BALANCE_OF = '0x70a08231';

/** Falsifies the answer to every {@link EVERY}-th send of the load; `forge` decides whether to forward it. */
function sends(
  forge: (hash: string, node: HonestNode, raw: string) => ReturnType<NonNullable<Lie['instead']>>,
): MakeLie {
  return (node) => {
    let count = 0;
    return {
      instead: ({ method, params }) => {
        if (method !== 'eth_sendRawTransaction') return undefined;
        const raw = String(params[0]);
        const hash = node.hashOf(raw);
        return node.isLoad(hash) && ++count % EVERY === 0 ? forge(hash, node, raw) : undefined;
      },
    };
  };
}

/** Falsifies results from the first transaction of the load on. */
function onceLoaded(
  forge: (call: { readonly method: string; readonly params: readonly unknown[] }, result: unknown) => unknown,
): MakeLie {
  return (node) => {
    let isLoaded = false;
    return {
      answer: (call, result) => {
        if (call.method === 'eth_sendRawTransaction')
          isLoaded ||= node.isLoad(node.hashOf(String(call.params[0])));
        return isLoaded ? forge(call, result) : result;
      },
    };
  };
}

export const ANSWER_LIES = {
  acknowledged_and_dropped: sends((hash) => ({ result: hash })),
  other_hash_answered: sends(async (_hash, node, raw) => {
    await node.ask('eth_sendRawTransaction', [raw]);
    return { result: `0x${'66'.repeat(32)}` };
  }),
  refused_and_executed: sends(async (_hash, node, raw) => {
    await node.ask('eth_sendRawTransaction', [raw]);
    return { error: { code: -32_000, message: 'intrinsic gas too low' } satisfies Json };
  }),
  nonce_too_far: onceLoaded(({ method, params }, result) =>
    method === 'eth_getTransactionCount' && params[1] !== 'latest' ? quantity(Number(result) + 1) : result,
  ),
  token_units_lost: onceLoaded(({ method, params }, result) => {
    const { data } = (params[0] ?? {}) as Json;
    const isUnits = method === 'eth_call' && typeof data === 'string' && data.startsWith(BALANCE_OF);
    return isUnits ? `0x${(BigInt(String(result)) - 1n).toString(16).padStart(64, '0')}` : result;
  }),
  balances_frozen: (() => {
    const first = new Map<string, unknown>();
    return {
      answer: ({ method, params }, result) => {
        if (method !== 'eth_getBalance' || params[1] === 'latest') return result;
        const account = String(params[0]);
        if (!first.has(account)) first.set(account, result);
        return first.get(account);
      },
    };
  }) as MakeLie,
  sync_receipts_false: onceLoaded(({ method }, result) => {
    const isReceipt =
      method === 'eth_sendRawTransactionSync' && typeof result === 'object' && result !== null;
    return isReceipt ? { ...result, gasUsed: quantity(21_001) } : result;
  }),
  contracts_without_code: onceLoaded(({ method }, result) => (method === 'eth_getCode' ? '0x' : result)),
  chain_id_changes: onceLoaded(({ method }, result) => (method === 'eth_chainId' ? '0x1' : result)),
  receipts_garbage: onceLoaded(({ method }, result) => (method === 'eth_getBlockReceipts' ? 'none' : result)),
} satisfies Readonly<Record<string, MakeLie>>;
