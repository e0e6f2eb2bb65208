import { type Command, Option } from 'commander';
import { type ConfiguredConnector, firstPartyConnectors, readConnector } from '#graph/connector';
import { readEnvironment } from '#platform/config';
import { NodeDisk } from '#platform/disk';
import type { GraphSettings } from '../settings.ts';
import type { CommandContext } from './command-context.ts';
import { runAndReport } from './connector/run-and-report.ts';
import type { RunSource } from './connector/run-source.ts';

interface CollectOptions {
  readonly root: string;
  readonly name?: string;
  readonly id: string;
  readonly format: 'table' | 'json';
  readonly force?: boolean;
}

export function addTo(collect: Command, context: CommandContext): void {
  collect
    .command('host')
    .description('read this machine (packages, services, accounts, ports) and sync it; reads files only')
    .option('--root <dir>', 'directory of the files of another machine', '/')
    .option('--name <name>', 'name of the machine (default: its host name)')
    .option('--id <id>', 'name of the source in the graph', 'host')
    .option('--data-dir <path>', 'data directory')
    .option('--url <url>', 'URL of a running server, which receives what is found')
    .option('--tls-ca <file>', 'CA certificate of the server')
    .option('--force', 'permit any number of deletions')
    .addOption(
      new Option('--format <format>', 'form of the result').choices(['table', 'json']).default('table'),
    )
    .action(async ({ id, format, force = false, ...options }: CollectOptions, command: Command) => {
      const settings = context.writingSettingsOf(command);
      const runs = await runsOf(settings, [hostConnectorOf(id, options)]);
      await runAndReport(runs, { id, force, format }, context.output);
    });
}

/** Each loads its own code. */
async function runsOf(
  settings: GraphSettings,
  connectors: readonly ConfiguredConnector[],
): Promise<RunSource> {
  if (settings.url === '')
    return (await import('./connector/local-runs.ts')).localRunsOf(settings, connectors);
  return (await import('./connector/collecting-runs.ts')).sendingRunsOf(settings, connectors);
}

function hostConnectorOf(
  id: string,
  { root, name }: Pick<CollectOptions, 'root' | 'name'>,
): ConfiguredConnector {
  const config = { root, ...(name !== undefined && { name }) };
  const text = JSON.stringify({ id, connector: 'host', config });
  const options = { types: firstPartyConnectors(new NodeDisk()), environment: readEnvironment() };
  // A relative root is one of the working directory.
  return readConnector(text, `${process.cwd()}/collect-host`, options);
}
