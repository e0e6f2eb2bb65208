import { type Command, Option } from 'commander';
import type { Difference } from '#graph/engine';
import type { FindingsDiff } from '#graph/policy';
import type { RecordDiffReply, RowDiffReply } from '#graph/query';
import { UsageError, visibleText } from '#platform/cli';
import type { GraphSettings } from '../settings.ts';
import type { CommandContext } from './command-context.ts';
import { asOfOf, collectParam, type Params } from './query.ts';
import { openAnswers } from './mcp/open-answers.ts';
import { commandLog } from './target/command-log.ts';
import { openTarget } from './target/open-target.ts';
import type { CommandTarget } from './target/target.ts';

/** Records or rows asked for at a time. */
const PAGE = 1_000;
/** Of each rule, and of each kind. */
const FINDINGS_SHOWN = 10_000;
/** A command is never cancelled. */
const NEVER = new AbortController().signal;

interface DiffFlags {
  readonly class?: string;
  readonly query?: string;
  readonly param?: Params;
  readonly findings?: true;
  readonly format: 'text' | 'ndjson';
}

const SIGNS = { created: '+', changed: '~', deleted: '-', came: '+', went: '-' } as const;

export function addTo(command: Command, context: CommandContext): void {
  command
    .argument('<from>', 'the earlier moment: a time, or the snapshot_version of a reply')
    .argument('[to]', 'the later moment; default: now')
    .option('--class <name>', 'only entities of this type, class or label, and what they are related by')
    .option('--query <pql>', 'the rows of a query that came and went, instead of records')
    .option('--param <name=value>', 'value of the parameter $name, as JSON or text; repeatable', collectParam)
    .option('--findings', 'the findings of rules that opened and closed, instead of records')
    .addOption(new Option('--format <format>').choices(['text', 'ndjson']).default('text'))
    .option('--url <url>', 'URL of a running server')
    .option('--tls-ca <file>', 'CA certificate of the server')
    .option('--data-dir <path>', 'data directory')
    .option('--rules <dir>', 'directory of rule files, with --findings and --data-dir')
    .action(async (from: string, to: string | undefined, flags: DiffFlags, command: Command) => {
      refuseTwoQuestions(flags);
      const settings = context.settingsOf(command);
      if (flags.findings === true) {
        const findings = await findingsOf(settings, { from, to });
        await context.output.write(flags.format === 'ndjson' ? findings.json : findings.text);
        return;
      }
      const target = await openTarget(settings);
      try {
        for await (const { json, text } of pages(target, { from, to }, flags))
          await context.output.write(flags.format === 'ndjson' ? json : text);
      } finally {
        await target.close();
      }
    });
}

function refuseTwoQuestions({ class: name, query, findings }: DiffFlags): void {
  const asked = [name && '--class', query && '--query', findings && '--findings'].filter(Boolean);
  if (asked.length > 1) throw new UsageError(`expected one of ${asked.join(' and ')}, got both`);
}

async function findingsOf(settings: GraphSettings, { from, to }: Span): Promise<Page> {
  const { answers, close } = await openAnswers(settings, commandLog(settings));
  try {
    const span = { from: asOfOf(from).as_of ?? from, to: asOfOf(to).as_of };
    const { rules, score } = await answers.diffFindings({ ...span, limit: FINDINGS_SHOWN }, NEVER);
    const gap = unjudged(score.after);
    if (gap !== undefined) console.error(`warning: ${gap}`);
    return findingsPage(rules);
  } finally {
    await close();
  }
}

/** What has no findings to compare, which is not the same as findings that are equal. */
function unjudged({
  rules_with_data: judged,
  rules_without_data: without,
}: FindingsDiff['score']['after']): string | undefined {
  const all = judged + without;
  if (all === 0) return 'there are no rules to compare';
  return without === 0 ? undefined : `${without} of ${all} rules have no data at the second moment`;
}

function findingsPage(rules: FindingsDiff['rules']): Page {
  return { json: rules.map(jsonLine).join(''), text: rules.flatMap(ruleLines).map(line).join('') };
}

function ruleLines(rule: FindingsDiff['rules'][number]): readonly string[] {
  const { before, after, unknown } = rule;
  const status = before.status === after.status ? after.status : `${before.status} → ${after.status}`;
  return [
    `${rule.rule_id} (${rule.severity}): ${status}`,
    ...(unknown === undefined ? [] : [`  ? ${unknown}`]),
    ...rule.opened.map(({ label }) => `  + ${label}`),
    ...rule.closed.map(({ label }) => `  - ${label}`),
    ...rule.changed.map(({ label, waived }) => `  ~ ${label}: ${waived ? 'waived' : 'no longer waived'}`),
  ];
}

interface Span {
  readonly from: string;
  readonly to: string | undefined;
}

interface Page {
  readonly json: string;
  readonly text: string;
}

/** Page by page: memory does not follow the number of changes. */
async function* pages(target: CommandTarget, span: Span, flags: DiffFlags): AsyncGenerator<Page> {
  for (let cursor: string | undefined; ;) {
    const reply =
      flags.query === undefined
        ? await recordsOf(target, span, flags, cursor)
        : await rowsOf(target, span, flags, cursor);
    const items = 'changes' in reply ? reply.changes : reply.rows;
    const lines: readonly string[] =
      'changes' in reply ? reply.changes.flatMap(recordLines) : reply.rows.map(rowLine);
    if ('warnings' in reply && cursor === undefined)
      for (const { message } of reply.warnings) console.error(visibleText(`warning: ${message}`));
    if (items.length > 0) yield { json: items.map(jsonLine).join(''), text: lines.map(line).join('') };
    if (reply.cursor === undefined) return;
    cursor = reply.cursor;
  }
}

function recordsOf(
  target: CommandTarget,
  { from, to }: Span,
  flags: DiffFlags,
  cursor: string | undefined,
): Promise<RecordDiffReply> {
  return target.diff({
    limit: String(PAGE),
    ...(flags.class !== undefined && { type: flags.class }),
    // The cursor has both moments: "now" does not move between pages.
    ...(cursor === undefined ? { from, ...(to !== undefined && { to }) } : { cursor }),
  });
}

function rowsOf(
  target: CommandTarget,
  { from, to }: Span,
  { query: pql = '', param: params = {} }: DiffFlags,
  cursor: string | undefined,
): Promise<RowDiffReply> {
  const first = asOfOf(from).as_of;
  const second = asOfOf(to).as_of;
  return target.diffRows({
    pql,
    params,
    limit: PAGE,
    ...(cursor === undefined
      ? { ...(first !== undefined && { from: first }), ...(second !== undefined && { to: second }) }
      : { cursor }),
  });
}

function recordLines(difference: Difference): readonly string[] {
  const { change, fields, at, source, who } = difference;
  const by = who === undefined ? source.connector_id : `${source.connector_id}, ${who}`;
  const head = `${SIGNS[change]} ${nameOf(difference)}  (${by}, ${at})`;
  if (change !== 'changed') return [head];
  const changed = fields.map(
    ({ name, old, new: next, source: stated = '' }) =>
      `    ${name}: ${valueText(old)} → ${valueText(next)}${stated === source.connector_id ? '' : `  (${stated})`}`,
  );
  return [head, ...changed];
}

function nameOf(difference: Difference): string {
  if (difference.record === 'entity') return `${difference.type} ${difference.key}`;
  const { from, verb, to } = difference;
  return `${from.type} ${from.key} ${verb} ${to.type} ${to.key}`;
}

function valueText(value: unknown): string {
  return value === undefined ? '(none)' : JSON.stringify(value);
}

function rowLine({ change, row }: RowDiffReply['rows'][number]): string {
  return `${SIGNS[change]} ${rowText(row)}`;
}

function rowText(row: unknown): string {
  if (typeof row === 'object' && row !== null && 'type' in row && 'key' in row && 'properties' in row)
    return `${String(row.type)} ${String(row.key)}`;
  return JSON.stringify(row);
}

/** Keys and values come from sources: they are shown without control characters. */
function line(text: string): string {
  return `${visibleText(text)}\n`;
}

function jsonLine(item: unknown): string {
  return `${JSON.stringify(item)}\n`;
}
