/**
 * Transient or odd answers of a correct target to reads, from the first transaction of the load on. None of
 * them is evidence of a fault: a run ends with a gap in its checks at most.
 */
import { pause } from '#platform/foundation';
import type { HonestNode, Json, Lie, MakeLie, NodeCall } from './lie.ts';

const EVERY = 3;
/** Longer than the time-out of a correlation in the tests. */
const SLOW_MS = 5_000;
/** The lag of a node's receipts. */
const LATE_MS = 800;
const NOT_FREE = {
  error: { code: -32_600, message: 'eth_getBlockReceipts is not available on the Free tier' } satisfies Json,
};
const BAD_GATEWAY = { status: 502, body: '<html>bad gateway</html>' };
const TOO_LARGE = JSON.stringify({
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_600, message: 'batch too large' },
});

/** Replies once to the first read of the load that fits. */
function once(fits: (call: NodeCall) => boolean): MakeLie {
  return loaded(() => {
    let isOver = false;
    return {
      reply: (calls) => {
        if (isOver || !calls.some(fits)) return undefined;
        isOver = true;
        return BAD_GATEWAY;
      },
    };
  });
}

/** Acts from the first transaction of the load on. */
function loaded(make: (node: HonestNode) => Lie): MakeLie {
  return (node) => {
    const own = make(node);
    return {
      reply: (calls) => (node.hasLoad ? own.reply?.(calls) : undefined),
      instead: (call) => (node.hasLoad ? own.instead?.(call) : undefined),
      answer: (call, result) => (node.hasLoad ? (own.answer?.(call, result) ?? result) : result),
    };
  };
}

/** Gives this answer about a block or a transaction for {@link LATE_MS}, then the real one. */
function late(method: string, early: (result: unknown) => unknown): Lie {
  const firstMs = new Map<string, number>();
  return {
    answer: (call, result) => {
      if (call.method !== method || result === null) return result;
      const nowMs = performance.now();
      const key = String(call.params[0]);
      const sinceMs = firstMs.get(key) ?? nowMs;
      firstMs.set(key, sinceMs);
      return nowMs - sinceMs < LATE_MS ? early(result) : result;
    },
  };
}

const isHead = ({ method, params }: NodeCall): boolean =>
  method === 'eth_getBlockByNumber' && params[0] === 'latest';
const isBalance = ({ method }: NodeCall): boolean => method === 'eth_getBalance';

export const MISHAPS = {
  one_502_for_the_head: once(isHead),
  one_502_for_balances: once(isBalance),
  no_head: loaded(() => ({ reply: (calls) => (calls.some(isHead) ? BAD_GATEWAY : undefined) })),
  reads_limited: loaded(() => {
    let count = 0;
    return {
      reply: (calls) =>
        calls.some(({ method }) => method === 'eth_sendRawTransaction') || ++count % EVERY !== 0
          ? undefined
          : { status: 429, headers: { 'retry-after': '1' }, body: 'slow down' },
    };
  }),
  state_pruned: loaded(() => ({
    instead: (call) =>
      isBalance(call) ? { error: { code: -32_000, message: 'missing trie node' } } : undefined,
  })),
  balances_malformed: loaded(() => ({ answer: (call, result) => (isBalance(call) ? 'lots' : result) })),
  no_batches: loaded(() => ({
    reply: (calls) => (calls.length > 1 ? { status: 200, body: TOO_LARGE } : undefined),
  })),
  receipts_late: loaded(() =>
    late('eth_getBlockReceipts', (result) => (result as readonly unknown[]).slice(1)),
  ),
  receipts_late_and_single: loaded(() => ({
    ...late('eth_getTransactionReceipt', () => null),
    instead: ({ method }) => (method === 'eth_getBlockReceipts' ? NOT_FREE : undefined),
  })),
  receipts_never_whole: loaded(() => ({
    answer: ({ method }, result) =>
      method === 'eth_getBlockReceipts' ? (result as readonly unknown[]).slice(1) : result,
  })),
  block_receipts_not_free: loaded(() => ({
    instead: ({ method }) => (method === 'eth_getBlockReceipts' ? NOT_FREE : undefined),
  })),
  block_receipts_forbidden: loaded(() => ({
    reply: (calls) =>
      calls.some(({ method }) => method === 'eth_getBlockReceipts')
        ? { status: 403, body: '{"error":"method eth_getBlockReceipts is not whitelisted"}' }
        : undefined,
  })),
  receipts_slow: loaded(() => ({
    answer: async ({ method }, result) => {
      if (method === 'eth_getBlockReceipts') await pause(SLOW_MS);
      return result;
    },
  })),
} satisfies Readonly<Record<string, MakeLie>>;
