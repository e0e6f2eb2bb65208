import { type RunRecord, systemRunClock } from '#graph/connector';
import { formatTable, type Output, visibleText } from '#platform/cli';
import { countedText, DomainError, stopSignal } from '#platform/foundation';
import { RunProgressLine } from './run-progress.ts';
import type { RunSource } from './run-source.ts';

const POLL_MS_MIN = 20;
const POLL_MS_MAX = 250;

export interface RunOrder {
  readonly id: string;
  readonly force: boolean;
  readonly format: 'table' | 'json';
}

/** Runs a connector and prints its end; throws unless it is complete. Closes the source. */
export async function runAndReport(
  source: RunSource,
  { id, force, format }: RunOrder,
  output: Output,
): Promise<void> {
  const run = await runToEnd(source, id, force);
  await output.line(format === 'json' ? JSON.stringify(run, null, 2) : summaryOf(run));
  if (run.status !== 'complete') throw new DomainError('CONFLICT', failureOf(run));
}

/** A signal stops a run in this process; a run on a server continues, and the command stops watching it. */
async function runToEnd(source: RunSource, id: string, force: boolean): Promise<RunRecord> {
  const progress = new RunProgressLine(process.stderr);
  const stopped = new AbortController();
  const signal = stopSignal();
  void signal.promise.then(() => stopped.abort());
  try {
    let run = await source.start(id, force);
    for (let pollMs = POLL_MS_MIN; run.ended_at === null; pollMs = Math.min(pollMs * 2, POLL_MS_MAX)) {
      await systemRunClock.sleep(pollMs, stopped.signal);
      if (stopped.signal.aborted) await source.stop();
      run = await source.get(run.run_id);
      progress.show(run);
      if (stopped.signal.aborted) break;
    }
    return run;
  } finally {
    await source.close();
  }
}

/** What a run has changed, with its warnings. */
export function summaryOf(run: RunRecord): string {
  const { sync, warnings, warning_count: count } = run;
  const lines = warnings.map((warning) => visibleText(`warning: ${warning}`));
  if (count > warnings.length) lines.push(`and ${countedText(count - warnings.length, 'more warning')}`);
  lines.push(...omissionLines(run));
  if (sync === undefined) return [...lines, 'nothing was synced'].join('\n');
  const rows = (['created', 'updated', 'unchanged', 'deleted'] as const).map((change) => [
    change,
    String(sync[`entities_${change}`]),
    String(sync[`relationships_${change}`]),
  ]);
  return [...lines, formatTable(['', 'entities', 'relationships'], rows)].join('\n');
}

/** What the sources hold and the graph does not. */
function omissionLines({
  unresolved_count: unresolved,
  external_count: external,
  ignored,
}: RunRecord): string[] {
  const kinds = Object.entries(ignored).map(([kind, count]) => `${visibleText(kind)} ${count}`);
  return [
    ...(unresolved > 0 ? [`unresolved references: ${unresolved}`] : []),
    ...(external > 0 ? [`references to other sources: ${external}`] : []),
    ...(kinds.length > 0 ? [`not read: ${kinds.join(', ')}`] : []),
  ];
}

/** Why a run is not complete. */
export function failureOf(
  run: Pick<
    RunRecord,
    'connector_id' | 'status' | 'reason' | 'partial_types' | 'unresolved_count' | 'warnings'
  >,
): string {
  const { connector_id: id, status, reason, partial_types: types, unresolved_count: unresolved } = run;
  // Of a part that was not read, only the warning says which one.
  const [unread = 'a part was not read'] = run.warnings;
  const partial = [
    ...(types.length > 0 ? [`nothing was deleted of ${types.join(', ')}`] : []),
    ...(unresolved > 0 ? [`${countedText(unresolved, 'reference')} could not be resolved`] : []),
  ];
  return `the run of ${id} is ${status}: ${reason ?? (partial.join('; ') || unread)}`;
}
