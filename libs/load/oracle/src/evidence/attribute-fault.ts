/**
 * Finds the transactions of an account in a block whose value flow, by the node's trace, differs from the
 * receipt. If the node supports no traces, a single transaction is named as the only one in the block, and
 * several are marked as candidates.
 */
import type { AccountReceipt, LocatedFault } from './locate-balance-fault.ts';

/** Access to a node's traces. */
export abstract class TransactionTracer {
  /**
   * Wei moved on the account by executing the transaction: received − sent − fee. A text is the reason why
   * the trace is unavailable.
   */
  abstract movedBy(hash: string, account: string): Promise<bigint | string>;
}

export interface Attribution {
  /** The faulty transactions, or the only one in the block; empty if none can be named. */
  readonly culprits: readonly AccountReceipt[];
  readonly note: string;
}

/** Blocks with more transactions of one account are not traced. */
const TRACED_MAX = 32;

export async function attributeFault(
  {
    account,
    blockNumber,
    candidates,
  }: Pick<LocatedFault, 'blockNumber' | 'candidates'> & { account: string },
  tracer: TransactionTracer,
): Promise<Attribution> {
  const place = `in block ${blockNumber}`;
  if (candidates.length === 0) {
    return {
      culprits: [],
      note: `no transaction of the account is ${place}: the balance changed outside of transactions`,
    };
  }
  const traces = await traceAll(account, candidates, tracer);
  if (typeof traces === 'string') return unnamed(candidates, place, traces);
  const culprits = candidates.filter(({ movedWei }, at) => traces[at] !== movedWei);
  if (culprits.length === 0) {
    const which = candidates.length === 1 ? 'the only transaction' : `each of the ${candidates.length}`;
    const note = `the trace of ${which} of the account ${place} confirms the receipt`;
    return {
      culprits,
      note: `${note}: the balance changed outside of transactions, or is reported incorrectly`,
    };
  }
  const named = candidates.flatMap(({ hash, movedWei }, at) => {
    const traced = traces[at];
    return traced === movedWei
      ? []
      : `${hash} moved ${traced} wei by its trace, ${movedWei} wei by its receipt`;
  });
  return { culprits, note: named.join('; ') };
}

function unnamed(candidates: readonly AccountReceipt[], place: string, reason: string): Attribution {
  if (candidates.length === 1) {
    return {
      culprits: candidates,
      note: `the only transaction of the account ${place}; not traced: ${reason}`,
    };
  }
  const note = `one of ${candidates.length} candidates, all of the account ${place}`;
  return { culprits: [], note: `${note}: not distinguishable without traces (${reason})` };
}

/** Wei by candidate; a text is the reason for missing traces. */
async function traceAll(
  account: string,
  candidates: readonly AccountReceipt[],
  tracer: TransactionTracer,
): Promise<readonly bigint[] | string> {
  if (candidates.length > TRACED_MAX) return `more than ${TRACED_MAX} transactions are not traced`;
  const moved: bigint[] = [];
  for (const { hash } of candidates) {
    const traced = await tracer.movedBy(hash, account);
    if (typeof traced === 'string') return traced;
    moved.push(traced);
  }
  return moved;
}
