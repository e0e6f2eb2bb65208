import { readHead } from '../chain/chain-view.ts';
import { RpcFailure } from '../rpc/rpc-reply.ts';
import type { LoadEngine } from './load-engine.ts';
import { pause } from '../time/pause.ts';
import type { RunContext } from './run-context.ts';

const POLL_MS = 100;
/** Without a new block read for so long, none will be. */
const STANDSTILL_MS = 30_000;
/** A node may be a few blocks behind what it has answered. */
const LATE_BLOCKS_MS = 2_000;

/** Waits until what was sent has ended, as long as a correlation takes; gives up what is unanswered then. */
export async function drain(engine: LoadEngine, { plan }: RunContext): Promise<void> {
  const { driver, ledger } = engine;
  const deadlineMs = performance.now() + plan.correlation.timeoutMs;
  const isOver = (): boolean => driver.unanswered === 0 && ledger.awaitedCount === 0;
  while (!isOver() && performance.now() < deadlineMs) await pause(POLL_MS);
  await engine.closeLanes();
}

/**
 * Waits until every block up to the head has been read, and everything that is in one is known to be. What is
 * in none a moment later is unknown. Gives the last block.
 */
export async function readToTheEnd(engine: LoadEngine, context: RunContext): Promise<number> {
  const deadlineMs = performance.now() + LATE_BLOCKS_MS;
  for (;;) {
    await readUpTo(engine, await headOf(context));
    if (engine.ledger.openCount === 0 || performance.now() >= deadlineMs) return engine.reader.lastBlock;
    await pause(POLL_MS);
  }
}

async function headOf({ rpc }: RunContext): Promise<number> {
  return (await readHead(rpc)).number;
}

async function readUpTo({ reader }: LoadEngine, head: number): Promise<void> {
  let reached = reader.lastBlock;
  let sinceMs = performance.now();
  while (reader.lastBlock < head) {
    if (reader.lastBlock > reached) {
      reached = reader.lastBlock;
      sinceMs = performance.now();
    }
    if (performance.now() - sinceMs > STANDSTILL_MS) throw standstill(reached, head);
    await pause(POLL_MS);
  }
}

function standstill(reached: number, head: number): RpcFailure {
  const message = `blocks could be read up to ${reached} of ${head}, and no further`;
  return new RpcFailure('eth_getBlockReceipts', {
    isFine: false,
    failure: 'rpc_timeout',
    code: null,
    message,
  });
}
