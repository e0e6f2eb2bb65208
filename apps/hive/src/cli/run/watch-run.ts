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
}

/**
 * Watches a run to its end. A signal drains it. A run that cannot start is stopped: here if an edge reports
 * another chain, by the hive after the time limit; then it throws CONFLICT with the missing edges. Requests
 * to an unresponsive hive are retried.
 */
export async function watchRun(begun: RunView, options: RunWatchOptions): Promise<RunView> {
  const { hive, line, patience, stopped } = options;
  const { run_id: runId } = begun;
  void stopped.promise.then(() => {
    patience.end();
    return hive.stop(runId, 'drain').catch(() => undefined);
  });
  for (let run = begun; ; run = await patience.ask(runId, () => hive.run(runId))) {
    line.show(run);
    const late = run.findings.find(({ code }) => code === 'not_started');
    if (isOver(run) && late !== undefined) throw new DomainError('CONFLICT', `run ${runId}: ${late.message}`);
    if (isOver(run)) return run;
    if (run.status === 'Starting' && run.phase !== 'reporting' && isHopeless(run)) {
      await abort(runId, options);
      throw new DomainError('CONFLICT', whyNotStarted(run));
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

function whyNotStarted({ run_id: runId, refusals }: RunView): string {
  const why = refusals.map(({ edge_id: edgeId, code, reason }) => `${edgeId}: ${code}, ${reason}`);
  return `run ${runId} did not start: ${shortened(why)}`;
}
