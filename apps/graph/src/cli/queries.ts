import { type Command, Option } from 'commander';
import { buffer as wholeBuffer } from 'node:stream/consumers';
import { type KeptQuery, parseQueryYaml, type QueriesReply, queryYaml } from '#graph/query';
import { formatTable } from '#platform/cli';
import { DomainError, lineOfInvalidByte, utf8Text } from '#platform/foundation';
import type { GraphSettings } from '../settings.ts';
import type { CommandContext } from './command-context.ts';
import { openInputFile } from './input-file.ts';
import { openQueryTarget, type QueryTarget } from './target/query-target.ts';

interface ListFlags {
  readonly tag?: string;
  readonly format: 'table' | 'json';
}

export function addTo(queries: Command, context: CommandContext): void {
  const onTarget = async (
    settings: GraphSettings,
    work: (target: QueryTarget) => Promise<string>,
  ): Promise<void> => {
    const target = await openQueryTarget(settings);
    try {
      await context.output.write(await work(target));
    } finally {
      await target.close();
    }
  };
  const on = (command: Command, work: (target: QueryTarget) => Promise<string>): Promise<void> =>
    onTarget(context.settingsOf(command), work);
  withTarget(queries.command('list'))
    .description('list the saved queries by name')
    .option('--tag <tag>', 'only queries with this tag')
    .addOption(
      new Option('--format <format>', 'form of the result').choices(['table', 'json']).default('table'),
    )
    .action(({ tag, format }: ListFlags, command: Command) =>
      on(command, async (target) => {
        const list = tagged(await target.list(), tag);
        return `${format === 'json' ? JSON.stringify(list, null, 2) : listTable(list)}\n`;
      }),
    );
  withTarget(queries.command('show'))
    .description('print a saved query in the format of import')
    .argument('<name>')
    .addOption(
      new Option('--format <format>', 'form of the result').choices(['yaml', 'json']).default('yaml'),
    )
    .action((name: string, { format }: { format: 'yaml' | 'json' }, command: Command) =>
      on(command, async (target) => {
        const query = await target.get(name);
        return format === 'json' ? `${JSON.stringify(query, null, 2)}\n` : queryYaml([query]);
      }),
    );
  withTarget(queries.command('export'))
    .description('print all saved queries as one file')
    .option('--tag <tag>', 'only queries with this tag')
    .action(({ tag }: { tag?: string }, command: Command) =>
      on(command, async (target) => queryYaml(tagged(await target.list(), tag))),
    );
  withTarget(queries.command('import'))
    .description('add and update the queries of a file, all or none; - reads standard input')
    .argument('<file.yaml|->')
    .option('--replace', 'remove all other queries')
    .action((path: string, { replace = false }: { replace?: boolean }, command: Command) =>
      onTarget(context.writingSettingsOf(command), async (target) => {
        const yaml = await inputText(path);
        // Parsed here first, so that an error names the place in this file.
        parseQueryYaml(yaml, path === '-' ? 'standard input' : path);
        const reply = await target.import(yaml, replace ? 'replace' : 'merge');
        return `${summaryOf(reply)}\n`;
      }),
    );
}

function withTarget(command: Command): Command {
  return command
    .option('--url <url>', 'URL of a running server')
    .option('--tls-ca <file>', 'CA certificate of the server')
    .option('--data-dir <path>', 'data directory');
}

function tagged(list: readonly KeptQuery[], tag: string | undefined): readonly KeptQuery[] {
  return tag === undefined ? list : list.filter(({ tags }) => tags.includes(tag));
}

function listTable(list: readonly KeptQuery[]): string {
  const rows = list.map(({ name, tags, parameters, updated_at, description }) => [
    name,
    tags.join(', '),
    Object.keys(parameters).join(', '),
    updated_at,
    description,
  ]);
  return formatTable(['name', 'tags', 'parameters', 'updated', 'description'], rows);
}

/** Throws INVALID_REQUEST for bytes that are not UTF-8. */
async function inputText(path: string): Promise<string> {
  const bytes = await wholeBuffer(path === '-' ? process.stdin : (await openInputFile(path)).chunks);
  const text = utf8Text(bytes);
  if (text !== undefined) return text;
  const place = `${path === '-' ? 'standard input' : path}:${lineOfInvalidByte(bytes)}`;
  throw new DomainError('INVALID_REQUEST', `${place}: expected UTF-8`);
}

function summaryOf({ added, updated, removed, count }: QueriesReply): string {
  return `${added} added, ${updated} updated, ${removed} removed; ${count} saved queries`;
}
