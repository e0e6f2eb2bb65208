import { type Command, InvalidArgumentError, Option } from 'commander';
import { formatTable, type Output, printWarning, UsageError, visibleText } from '#platform/cli';
import { DomainError, parseExactJson } from '#platform/foundation';
import type { CommandContext } from './command-context.ts';
import type { QueryReply } from './format/query-reply.ts';
import { replyTable } from './format/reply-table.ts';
import { fileOption, type StatementFlags, statementText } from './statement-text.ts';
import { openTarget } from './target/open-target.ts';
import type { QueryBody, CommandTarget } from './target/target.ts';

const NEEDS_QUOTES = /[",\r\n]/;

export const FORMATS = ['table', 'json', 'ndjson', 'csv'] as const;
export type Format = (typeof FORMATS)[number];
export type Params = Readonly<Record<string, unknown>>;

interface QueryFlags extends StatementFlags {
  readonly param?: Params;
  readonly format: Format;
  readonly limit?: string;
  readonly asOf?: string;
}

export function addTo(command: Command, context: CommandContext): void {
  command
    .argument('[pql]', 'the query; - reads standard input')
    .addOption(fileOption())
    .option('--param <name=value>', 'value of the parameter $name, as JSON or text; repeatable', collectParam)
    .option('--as-of <moment>', 'the graph as it was: a time, or the snapshot_version of a reply')
    .option('--limit <number>', 'maximum number of entities or rows')
    .addOption(new Option('--format <format>', 'form of the result').choices(FORMATS).default('table'))
    .option('--url <url>', 'URL of a running server')
    .option('--tls-ca <file>', 'CA certificate of the server')
    .option('--data-dir <path>', 'data directory')
    .action(async (given: string | undefined, flags: QueryFlags, command: Command) => {
      const pql = await statementText(given, flags);
      const body = { pql, params: flags.param ?? {}, ...limitOf(flags.limit), ...asOfOf(flags.asOf) };
      const target = await openTarget(context.settingsOf(command));
      try {
        await showQuery(target, body, { format: flags.format, output: context.output });
      } catch (error) {
        throw await withPqlPlace(error, pql);
      } finally {
        await target.close();
      }
    });
}

export function collectParam(text: string, before: Params = {}): Params {
  const [, name, value = ''] = /^\$?(\w+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError('expected name=value');
  return { ...before, [name]: jsonOrText(value) };
}

/** `8` is a number and `true` a boolean; `"8"`, and anything that is not JSON, is text. */
function jsonOrText(text: string): unknown {
  try {
    const value = parseExactJson(text);
    if (typeof value !== 'bigint') return value;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
  const max = String(Number.MAX_SAFE_INTEGER);
  throw new InvalidArgumentError(
    `expected an integer from -${max} to ${max}; give a larger one as text: '"${text}"'`,
  );
}

export function limitOf(text: string | undefined): { limit?: number } {
  if (text === undefined) return {};
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new UsageError('--limit: expected a whole number from 1 to 10000');
  return { limit: Number(text) };
}

/** Digits alone are a sequence number. */
export function asOfOf(text: string | undefined): { as_of?: string | number } {
  if (text === undefined) return {};
  return { as_of: /^\d{1,15}$/.test(text) ? Number(text) : text };
}

export interface Shown {
  readonly format: Format;
  readonly output: Output;
  readonly signal?: AbortSignal;
}

/** Asks and prints the answer. */
export async function showQuery(
  target: CommandTarget,
  body: QueryBody,
  { format, output, signal }: Shown,
): Promise<void> {
  if (format === 'ndjson') {
    for await (const piece of target.queryLines(body, signal)) {
      if (output.isGone) return;
      await output.write(piece);
    }
    return;
  }
  const reply = await target.query(body, signal);
  for (const warning of reply.warnings) printWarning(visibleText(warning.message));
  await output.write(rendered(reply, format));
  if (reply.cursor !== undefined)
    console.error(`more than shown: ${String(reply.count)} in all, see --limit and --format ndjson`);
}

function rendered(reply: QueryReply, format: Exclude<Format, 'ndjson'>): string {
  if (format === 'json') return `${JSON.stringify(reply, null, 2)}\n`;
  const { columns, rows } = replyTable(reply);
  return format === 'csv' ? [columns, ...rows].map(csvLine).join('') : `${formatTable(columns, rows)}\n`;
}

/** Shows the position of a syntax error in the query. */
export async function withPqlPlace(error: unknown, pql: string): Promise<unknown> {
  if (!(error instanceof DomainError) || error.code !== 'PQL_SYNTAX') return error;
  const { explainFault } = await import('#graph/query');
  return new DomainError(error.code, explainFault(pql, error), { cause: error });
}

/** One row in RFC 4180 form, with its line end. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\r\n`;
}

function quoted(cell: string): string {
  return NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
