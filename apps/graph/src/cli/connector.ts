import { type Command, Option } from 'commander';
import { type ConnectorSummary, type RunRecord, systemRunClock } from '#graph/connector';
import { formatTable, visibleText } from '#platform/cli';
import { DomainError, stopSignal } from '#platform/foundation';
import type { CommandContext } from './command-context.ts';
import { addAuthorCommands } from './connector/author-commands.ts';
import { openRunSource } from './connector/open-run-source.ts';
import { RunProgressLine } from './connector/run-progress.ts';
import type { RunSource } from './connector/run-source.ts';

const POLL_MS_MIN = 20;
const POLL_MS_MAX = 250;

interface ConnectorOptions {
  readonly format: 'table' | 'json';
  readonly force?: boolean;
}

export function addTo(connector: Command, context: CommandContext): void {
  withTarget(connector.command('list'))
    .description('list the configured connectors with their last run and sync')
    .action(async ({ format }: ConnectorOptions, command: Command) => {
      const source = await openRunSource(context.settingsOf(command));
      try {
        const list = await source.list();
        await context.output.line(format === 'json' ? JSON.stringify(list, null, 2) : listTable(list));
      } finally {
        await source.close();
      }
    });
  withTarget(connector.command('run'))
    .description('run a connector and show its progress; exit code 1 unless the run is complete')
    .argument('<id>')
    .option('--force', 'permit any number of deletions')
    .action(async (id: string, { format, force = false }: ConnectorOptions, command: Command) => {
      const run = await runToEnd(await openRunSource(context.writingSettingsOf(command)), id, force);
      await context.output.line(format === 'json' ? JSON.stringify(run, null, 2) : summaryOf(run));
      if (run.status !== 'complete') throw new DomainError('CONFLICT', failureOf(run));
    });
  connector
    .command('stop')
    .description('stop the run of a connector on a server; what it has read is not synced')
    .argument('<id>')
    .requiredOption('--url <url>', 'URL of the running server')
    .option('--tls-ca <file>', 'CA certificate of the server')
    .action(async (id: string, _options: object, command: Command) => {
      const source = await openRunSource(context.settingsOf(command));
      const running = (await source.list()).find((each) => each.id === id)?.last_run;
      if (running === undefined || running === null || running.ended_at !== null)
        throw new DomainError('NOT_FOUND', `no run of ${visibleText(id)} is in progress`);
      const { status } = await source.cancel(running.run_id);
      await context.output.line(`the run of ${id} is ${status}`);
    });
  addAuthorCommands(connector, context);
}

function withTarget(command: Command): Command {
  return command
    .option('--connectors <dir>', 'directory of connector files')
    .option('--data-dir <path>', 'data directory')
    .option('--url <url>', 'URL of a running server, whose connectors are used')
    .option('--tls-ca <file>', 'CA certificate of the server')
    .addOption(new Option('--format <format>').choices(['table', 'json']).default('table'));
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

function listTable(list: readonly ConnectorSummary[]): string {
  const counts = ['created', 'updated', 'unchanged', 'deleted'];
  const columns = ['id', 'connector', 'schedule', 'last run', 'last sync', ...counts];
  const rows = list.map(({ id, connector, schedule, last_run: run, last_sync: sync }) => [
    id,
    connector,
    schedule,
    run?.status ?? 'never',
    sync?.synced_at ?? 'never',
    ...[sync?.entities_created, sync?.entities_updated, sync?.entities_unchanged, sync?.entities_deleted].map(
      (count) => (count === undefined ? '' : String(count)),
    ),
  ]);
  const faults = list.flatMap(({ id, fault }) =>
    fault === null ? [] : [visibleText(`${id} cannot run: ${fault}`)],
  );
  return [formatTable(columns, rows), ...faults].join('\n');
}

function summaryOf(run: RunRecord): string {
  const { sync, warnings, warning_count: count } = run;
  const lines = warnings.map((warning) => visibleText(`warning: ${warning}`));
  if (count > warnings.length) lines.push(`and ${count - warnings.length} more warnings`);
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

function failureOf(run: RunRecord): string {
  const { connector_id: id, status, reason, partial_types: types, unresolved_count: unresolved } = run;
  const partial = [
    ...(types.length > 0 ? [`nothing was deleted of ${types.join(', ')}`] : []),
    ...(unresolved > 0 ? [`${unresolved} references could not be resolved`] : []),
  ];
  return `the run of ${id} is ${status}: ${reason ?? partial.join('; ')}`;
}
