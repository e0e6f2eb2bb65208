import { type Command, Option } from 'commander';
import { formatTable, printWarning, visibleText } from '#platform/cli';
import { DomainError } from '#platform/foundation';
import type { CommandContext } from './command-context.ts';
import { formatPlan } from './format/plan.ts';
import {
  asOfOf,
  collectParam,
  csvLine,
  type Format,
  FORMATS,
  limitOf,
  type Params,
  type Shown,
} from './query.ts';
import { fileOption, type StatementFlags, statementText } from './statement-text.ts';
import { openTarget } from './target/open-target.ts';
import { cellText } from './format/reply-table.ts';
import type { CommandTarget, CypherBody } from './target/target.ts';

interface CypherFlags extends StatementFlags {
  readonly param?: Params;
  readonly format: Format;
  readonly limit?: string;
  readonly asOf?: string;
}

export function addTo(command: Command, context: CommandContext): void {
  command
    .argument('[cypher]', 'the statement; - reads standard input')
    .addOption(fileOption())
    .option('--param <name=value>', 'value of the parameter $name, as JSON or text; repeatable', collectParam)
    .option('--as-of <moment>', 'the graph as it was: a time, or the snapshot_version of a reply')
    .option('--limit <number>', 'maximum number of rows, else an error; not for ndjson')
    .addOption(new Option('--format <format>', 'form of the result').choices(FORMATS).default('table'))
    .option('--url <url>', 'URL of a running server')
    .option('--tls-ca <file>', 'CA certificate of the server')
    .option('--data-dir <path>', 'data directory')
    .action(async (given: string | undefined, flags: CypherFlags, command: Command) => {
      const cypher = await statementText(given, flags);
      const body = { cypher, params: flags.param ?? {}, ...limitOf(flags.limit), ...asOfOf(flags.asOf) };
      const target = await openTarget(context.settingsOf(command));
      try {
        await showCypher(target, body, { format: flags.format, output: context.output });
      } catch (error) {
        throw withCypherPlace(error, cypher);
      } finally {
        await target.close();
      }
    });
}

/** Runs the statement and prints the answer. */
export async function showCypher(
  target: CommandTarget,
  body: CypherBody,
  { format, output, signal }: Shown,
): Promise<void> {
  if (format === 'ndjson') {
    for await (const piece of target.cypherLines(body, signal)) {
      if (output.isGone) return;
      await output.write(piece);
    }
    return;
  }
  const reply = await target.cypher(body, signal);
  for (const warning of reply.warnings) printWarning(visibleText(warning.message));
  if (format === 'json') return output.write(`${JSON.stringify(reply, null, 2)}\n`);
  const rows = reply.rows.map((row) => row.map(cellText));
  const { columns } = reply;
  if (format === 'csv') return output.write([columns, ...rows].map(csvLine).join(''));
  if (rows.length > 0 || reply.plan === undefined) await output.write(`${formatTable(columns, rows)}\n`);
  if (reply.plan !== undefined) await output.write(`${formatPlan(reply.plan)}\n`);
}

/** Shows the place of a syntax error below the line of the statement that has it. */
export function withCypherPlace(error: unknown, cypher: string): unknown {
  if (!(error instanceof DomainError) || error.code !== 'CYPHER_SYNTAX') return error;
  const { line, column, length, hint } = error.details ?? {};
  if (typeof line !== 'number' || typeof column !== 'number' || typeof length !== 'number') return error;
  const text = visibleText(cypher.split('\n')[line - 1] ?? '');
  const carets = '^'.repeat(Math.max(1, Math.min(length, text.length - column + 1)));
  const lines = [error.message, text, `${' '.repeat(column - 1)}${carets}`];
  if (typeof hint === 'string') lines.push(`hint: ${hint}`);
  return new DomainError(error.code, lines.join('\n'), { cause: error });
}
