import { toHex } from '#load/chain';
import { pause } from '#platform/foundation';
import { readHead } from '../funding/chain-view.ts';
import type { UnplacedState } from '../ledger/transaction-faults.ts';
import { readNumber } from '../rpc/json-rpc.ts';
import { RpcFailure } from '../rpc/rpc-reply.ts';
import { membersOf } from '../settlement/block-header.ts';
import type { OpenTransaction } from '../transaction/open-transaction.ts';
import type { Load } from './load.ts';
import type { LoadTarget } from './load-target.ts';

const POLL_MS = 100;
/** The longest time that Nitro keeps a transaction in its queue by default. */
const LANE_WAIT_MS = 12_000;
/** Time without a new block after which none is expected. */
const STANDSTILL_MS = 30_000;
/** A node may be a few blocks behind its answer. */
const LATE_BLOCKS_MS = 2_000;
/** Number of waiting transactions that are queried to decide whether to wait longer. */
const SAMPLE = 100;

/** The result of settling a run. */
export interface ReadEnd {
  readonly lastBlock: number;
  /** State of accepted transactions in no block, as far as it could be determined. */
  readonly states: ReadonlyMap<OpenTransaction, UnplacedState>;
}

/** Waits for the outcome of sent transactions, up to the correlation time-out; then fails unanswered ones. */
export async function drain(load: Load, { plan }: LoadTarget): Promise<void> {
  const { driver, ledger } = load;
  load.engine.catchUp();
  const deadlineMs = performance.now() + plan.correlation.timeoutMs;
  const isOver = (): boolean =>
    driver.unanswered === 0 && ledger.awaitedCount === 0 && load.unansweredReads === 0;
  while (!isOver() && performance.now() < deadlineMs) await pause(POLL_MS);
  await load.closeConnections();
}

/**
 * Waits until every block up to the head has been read and its transactions are matched: briefly for late
 * blocks, and up to the correlation time-out while the target reports accepted transactions as pending. Then
 * determines the state of the remaining transactions.
 */
export async function readToTheEnd(load: Load, target: LoadTarget): Promise<ReadEnd> {
  const { ledger } = load;
  load.engine.catchUp();
  load.feedAudit.endDrain();
  const startMs = performance.now();
  const patienceMs = Math.max(LATE_BLOCKS_MS, target.plan.correlation.timeoutMs);
  for (;;) {
    const isRead = await readUpToHead(load, target);
    const waitedMs = performance.now() - startMs;
    const isLate = waitedMs >= LATE_BLOCKS_MS && !(waitedMs < patienceMs && (await isPending(load, target)));
    if (!isRead || ledger.unplacedCount === 0 || isLate) return endInStep(load, target, isRead);
    await pause(POLL_MS);
  }
}

/**
 * Ends when feed and blocks contain the same transactions: while the target processes pending ones, either
 * may be ahead by a block, which would be reported as a fault. The wait for the one behind is bounded.
 */
async function endInStep(load: Load, target: LoadTarget, isRead: boolean): Promise<ReadEnd> {
  const { ledger, reader } = load;
  const untilMs = performance.now() + LATE_BLOCKS_MS;
  for (;;) {
    const answered = isRead ? await askOfUnplaced(load, target) : undefined;
    // Synchronous from here on: no further events arrive before the end.
    if ((ledger.isInStep && load.feedAudit.isCaughtUp) || performance.now() >= untilMs) {
      load.feedAudit.end();
      return { lastBlock: reader.lastBlock, states: statesOf(load, answered) };
    }
    await pause(POLL_MS);
  }
}

/** False if blocks or the head could not be read, which is a finding with the reason. */
async function readUpToHead(load: Load, { rpc, plan }: LoadTarget): Promise<boolean> {
  const { reader, ledger } = load;
  try {
    const missingMs = Math.max(LATE_BLOCKS_MS, plan.correlation.timeoutMs);
    return await readUpTo(load, (await readHead(rpc)).number, missingMs);
  } catch (error) {
    if (!(error instanceof RpcFailure)) throw error;
    ledger.blocks.unread(reader.lastBlock + 1, `from ${reader.lastBlock + 1} on: ${error.message}`);
    return false;
  }
}

/** `missingMs`: the time without a new block after which missing receipts are not waited for. */
async function readUpTo({ reader, ledger }: Load, head: number, missingMs: number): Promise<boolean> {
  let reached = reader.lastBlock;
  let sinceMs = performance.now();
  while (reader.lastBlock < head) {
    if (reader.lastBlock > reached) {
      reached = reader.lastBlock;
      sinceMs = performance.now();
    }
    if (performance.now() - sinceMs > missingMs) reader.hurry();
    if (performance.now() - sinceMs > Math.max(STANDSTILL_MS, missingMs + LATE_BLOCKS_MS)) {
      ledger.blocks.unread(reached + 1, `${reached + 1} to ${head}: ${reader.trouble}`);
      return false;
    }
    await pause(POLL_MS);
  }
  return true;
}

/** Whether the target still has accepted transactions pending. */
async function isPending(load: Load, target: LoadTarget): Promise<boolean> {
  const sample = load.ledger.unplaced.filter(isAccepted).slice(0, SAMPLE);
  const answers = await whereaboutsOf(sample, load.reader.lastBlock, target);
  return answers?.includes('waiting') ?? true;
}

/** Where the target has a transaction: nowhere, outside of the blocks read, or in one of them. */
type Whereabouts = 'unknown' | 'waiting' | 'placed';

/** The target's answers for accepted transactions in no block. */
interface TargetAnswer {
  readonly whereabouts: Whereabouts;
  /** A transaction that the run did not send has its nonce. */
  readonly isTaken: boolean;
}

/** Undefined if it cannot be determined: blocks are missing, or an answer is. */
async function askOfUnplaced(
  load: Load,
  target: LoadTarget,
): Promise<ReadonlyMap<OpenTransaction, TargetAnswer> | undefined> {
  const { ledger, reader } = load;
  const accepted = ledger.unplaced.filter(isAccepted);
  const answers = await whereaboutsOf(accepted, reader.lastBlock, target);
  if (answers === undefined || ledger.blocks.hasUnread) return undefined;
  const params = accepted.map(({ signed }) => [toHex(load.addressOf(signed.item.position)), 'latest']);
  const counts = await unlessRefused(target.rpc.callMany('eth_getTransactionCount', params, readNumber));
  if (counts === undefined) return undefined;
  const answered = accepted.map((open, at): [OpenTransaction, TargetAnswer] => {
    const { position, nonce } = open.signed.item;
    const isTaken = ledger.blocks.isForeign(position) && (counts[at] ?? 0) > nonce;
    return [open, { whereabouts: answers[at] ?? 'placed', isTaken }];
  });
  return new Map(answered);
}

/** A loss needs evidence: a transaction that may have been in a replaced block has no state. */
function statesOf(
  { ledger, mayHaveReplaced }: Load,
  answered: ReadonlyMap<OpenTransaction, TargetAnswer> = new Map(),
): ReadonlyMap<OpenTransaction, UnplacedState> {
  const states = new Map<OpenTransaction, UnplacedState>();
  for (const open of ledger.unplaced.filter(isAccepted)) {
    const { whereabouts, isTaken } = answered.get(open) ?? {};
    if (isTaken === true) states.set(open, 'nonce_taken');
    else if (whereabouts === 'waiting') states.set(open, 'pending');
    else if (whereabouts === 'unknown' && !mayHaveReplaced) setLost(open, states);
  }
  return states;
}

/**
 * The express lane promises no inclusion: what it has taken may expire, also with a wrong nonce. Before the
 * end of a round that is to be expected; otherwise the transaction stays undecided.
 */
function setLost(open: OpenTransaction, states: Map<OpenTransaction, UnplacedState>): void {
  const { slot, nowMs } = open.request;
  if (slot === undefined || open.feedUs !== undefined) states.set(open, 'lost');
  else if (slot.roundEndMs - nowMs < LANE_WAIT_MS) states.set(open, 'lane_expired');
}

function isAccepted({ ackedUs, feedUs }: OpenTransaction): boolean {
  return ackedUs !== undefined || feedUs !== undefined;
}

/** Undefined without an answer. */
async function whereaboutsOf(
  opens: readonly OpenTransaction[],
  lastBlock: number,
  { rpc }: LoadTarget,
): Promise<readonly Whereabouts[] | undefined> {
  const params = opens.map(({ hash }) => [toHex(hash)]);
  const read = (transaction: unknown): Whereabouts => whereaboutsIn(transaction, lastBlock);
  return unlessRefused(rpc.callMany('eth_getTransactionByHash', params, read));
}

function whereaboutsIn(transaction: unknown, lastBlock: number): Whereabouts {
  if (transaction === null) return 'unknown';
  const { blockNumber } = membersOf(transaction);
  const isInBlock = blockNumber !== null && blockNumber !== undefined && readNumber(blockNumber) <= lastBlock;
  return isInBlock ? 'placed' : 'waiting';
}

async function unlessRefused<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RpcFailure) return undefined;
    throw error;
  }
}
