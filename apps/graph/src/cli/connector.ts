import { type Command, Option } from 'commander';
import type { ConnectorSummary } from '#graph/connector';
import { formatTable, visibleText } from '#platform/cli';
import { DomainError } from '#platform/foundation';
import type { CommandContext } from './command-context.ts';
import { addAuthorCommands } from './connector/author-commands.ts';
import { openRunSource } from './connector/open-run-source.ts';
import { runAndReport } from './connector/run-and-report.ts';

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
      const source = await openRunSource(context.writingSettingsOf(command));
      await runAndReport(source, { id, force, format }, context.output);
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
    .addOption(
      new Option('--format <format>', 'form of the result').choices(['table', 'json']).default('table'),
    );
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
