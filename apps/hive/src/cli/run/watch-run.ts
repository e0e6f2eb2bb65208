import type { RunView } from '#load/coordination';
import { DomainError, pause, type StopSignal } from '#platform/foundation';
import type { HiveHttp } from './hive-http.ts';
import type { HivePatience } from './hive-patience.ts';
import { type LiveLine, shortened } from './live-line.ts';

const POLL_MS = 500;

export interface RunWatchOptions {
  readonly hive: HiveHttp;
  readonly line: LiveLine;
  readonly patience: HivePatience;
  readonly stopped: StopSignal;
  /** Time after which a run that is still Starting is stopped. */
  readonly startTimeoutMs: number;
}

/**
 * Watches a run to its end. A signal drains it. A run that cannot start is stopped: at once if an edge
 * reports another chain, otherwise after the time limit; then it throws CONFLICT with the missing edges.
 * Requests to an unresponsive hive are retried.
 */
export async function watchRun(begun: RunView, options: RunWatchOptions): Promise<RunView> {
  const { hive, line, patience, stopped, startTimeoutMs } = options;
  const { run_id: runId } = begun;
  void stopped.promise.then(() => {
    patience.end();
    return hive.stop(runId, 'drain').catch(() => undefined);
  });
  const startedAtMs = performance.now();
  for (let run = begun; ; run = await patience.ask(runId, () => hive.run(runId))) {
    line.show(run);
    if (isOver(run)) return run;
    const isLate = performance.now() - startedAtMs > startTimeoutMs;
    if (run.status === 'Starting' && run.phase !== 'reporting' && (isLate || isHopeless(run))) {
      await abort(runId, options);
      throw new DomainError('CONFLICT', whyNotStarted(run, isLate ? startTimeoutMs : 0));
    }
    await pause(POLL_MS);
  }
}

function isOver({ status }: RunView): boolean {
  return status === 'Completed' || status === 'Failed';
}

/** Aborts the run and waits for its end, before which the hive accepts no other run. */
async function abort(runId: string, { hive, patience }: RunWatchOptions): Promise<void> {
  for (let run = await hive.stop(runId, 'abort'); !isOver(run);) {
    await pause(POLL_MS);
    run = await patience.ask(runId, () => hive.run(runId));
  }
}

/** A mismatch of the chain id does not resolve by waiting. */
function isHopeless({ refusals }: RunView): boolean {
  return refusals.some(({ code }) => code === 'chain_id_mismatch');
}

function whyNotStarted(
  { run_id: runId, refusals, waiting_for: waiting, edges_min: least, edges }: RunView,
  lateMs: number,
): string {
  const when = lateMs === 0 ? '' : ` within ${lateMs / 1_000} s`;
  const whom =
    edges.length < least
      ? `expected ${least} edges, ${edges.length} are registered`
      : shortened(waiting.map((edgeId) => refusalOf(refusals, edgeId)));
  return `run ${runId} did not start${when}: ${whom}`;
}

function refusalOf(refusals: RunView['refusals'], edgeId: string): string {
  const refusal = refusals.find(({ edge_id: own }) => own === edgeId);
  return refusal === undefined
    ? `${edgeId} has not responded`
    : `${edgeId}: ${refusal.code}, ${refusal.reason}`;
}
