import { type Command, Option } from 'commander';
import {
  DECISION_STATES,
  type DecisionState,
  type FindingList,
  type ListedFinding,
  SEVERITIES,
} from '#graph/policy';
import { formatTable, listOption, UsageError, visibleText } from '#platform/cli';
import { countedText } from '#platform/foundation';
import type { CommandContext } from './command-context.ts';
import { HttpTarget } from './target/http-target.ts';
import { wholeNumberFrom } from './whole-number.ts';

const DAY_MS = 86_400_000;
const STATES = ['open', ...DECISION_STATES];
const DAYS = /^(\d{1,3})d$/;

interface ListFlags {
  readonly severity?: string;
  readonly state?: string;
  readonly rule?: string;
  readonly class?: string;
  readonly assignee?: string;
  readonly openedSince?: string;
  readonly text?: string;
  readonly limit: number;
  readonly format: 'table' | 'json' | 'csv' | 'sarif';
}

interface DecisionFlags {
  readonly reason: string;
  readonly until: string;
}

export function addTo(finding: Command, context: CommandContext): void {
  addList(finding, context);
  const waive = finding
    .command('waive')
    .description('state that a finding is no violation here, until a time');
  addDecision(waive, context, 'waived');
  const accept = finding.command('accept').description('take the risk of a finding, until a time');
  addDecision(accept, context, 'accepted');
  onServer(finding.command('reopen'))
    .description('end what is decided about a finding')
    .argument('<finding>', 'id of the finding')
    .action(async (id: string, _flags: unknown, command: Command) => {
      const reply = await serverOf(context, command).send<ListedFinding>('DELETE', pathOf(id, 'decision'));
      await context.output.line(`${nameOf(reply)} is open`);
    });
  onServer(finding.command('assign'))
    .description('note who looks after a finding; without a name: nobody')
    .argument('<finding>', 'id of the finding')
    .argument('[assignee]', 'a person or a team')
    .action(async (id: string, assignee: string | undefined, _flags: unknown, command: Command) => {
      const body = { assignee: assignee ?? null };
      const server = serverOf(context, command);
      const reply = await server.send<ListedFinding>('PUT', pathOf(id, 'assignment'), body);
      await context.output.line(`${nameOf(reply)}: ${assignedText(reply)}`);
    });
}

function addList(finding: Command, context: CommandContext): void {
  onServer(finding.command('list'))
    .description('list the findings of all rules as of their last runs, worst first')
    .addOption(listOption('--severity <list>', 'one or more severities: critical,high', SEVERITIES))
    .addOption(listOption('--state <list>', 'one or more states: open,waived', STATES).default('open'))
    .option('--rule <id>', 'of one rule')
    .option('--class <class>', 'of entities of a class')
    .option('--assignee <name>', 'that somebody looks after; empty: that nobody does')
    .option('--opened-since <when>', 'opened since: an age such as 24h or 7d, a day, or an instant')
    .option('--text <text>', 'with a part of the name of the finding or of its rule')
    .addOption(
      new Option('--limit <n>', 'rows of the table and of JSON; CSV and SARIF have all')
        .argParser(wholeNumberFrom(1))
        .default(100),
    )
    .addOption(new Option('--format <format>').choices(['table', 'json', 'csv', 'sarif']).default('table'))
    .action(async (flags: ListFlags, command: Command) => {
      const server = serverOf(context, command);
      const path = `/v1/findings?${String(queryOf(flags))}`;
      if (flags.format === 'csv' || flags.format === 'sarif') {
        for await (const bytes of server.bytes(`${path}&format=${flags.format}`))
          await context.output.write(bytes);
        return;
      }
      const list = await server.get<FindingList>(path);
      const text = flags.format === 'json' ? JSON.stringify(list, null, 2) : listTable(list);
      await context.output.write(`${text}\n`);
    });
}

function addDecision(named: Command, context: CommandContext, state: DecisionState): void {
  onServer(named)
    .argument('<finding>', 'id of the finding')
    .requiredOption('--reason <text>', 'why')
    .requiredOption('--until <when>', 'a number of days such as 30d, a day, or an RFC 3339 instant')
    .action(async (id: string, { reason, until }: DecisionFlags, command: Command) => {
      const body = { state, reason, until: endOf(until) };
      const server = serverOf(context, command);
      const reply = await server.send<ListedFinding>('PUT', pathOf(id, 'decision'), body);
      const end = reply.waiver?.until ?? body.until;
      await context.output.line(`${nameOf(reply)} is ${reply.state} until ${end}`);
    });
}

function onServer(command: Command): Command {
  return command
    .option('--url <url>', 'URL of a running server')
    .option('--tls-ca <file>', 'CA certificate of the server');
}

function serverOf(context: CommandContext, command: Command): HttpTarget {
  const settings = context.settingsOf(command);
  if (settings.url === '') throw new UsageError('expected --url of a running server');
  return new HttpTarget(settings);
}

function pathOf(id: string, part: string): string {
  return `/v1/findings/${encodeURIComponent(id)}/${part}`;
}

function queryOf(flags: ListFlags): URLSearchParams {
  const { severity, state, rule, class: of, assignee, openedSince, text, limit } = flags;
  const query = new URLSearchParams({ limit: String(limit) });
  const fields = { severity, state, rule, class: of, assignee, opened_since: openedSince, q: text };
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) query.set(name, value);
  return query;
}

/** The server checks a time that is not a number of days. */
function endOf(until: string): string {
  const [, days] = DAYS.exec(until) ?? [];
  return days === undefined ? until : new Date(Date.now() + Number(days) * DAY_MS).toISOString();
}

function listTable({ findings, count, unknown_count: unknown }: FindingList): string {
  const rows = findings.map((finding) => [
    finding.severity,
    finding.state,
    finding.label,
    finding.name,
    finding.opened_at ?? '',
    finding.assignment?.assignee ?? '',
    finding.finding_id,
  ]);
  const table = formatTable(['severity', 'state', 'finding', 'rule', 'opened', 'assignee', 'id'], rows);
  const cut = count > findings.length ? `, the first ${findings.length} shown` : '';
  const more =
    unknown === 0
      ? ''
      : `\nrules without a result or with too many findings, which may have further ones: ${unknown}`;
  return `${table}\n${countedText(count, 'finding')}${cut}${more}`;
}

function nameOf({ label, rule_id: ruleId }: ListedFinding): string {
  return visibleText(`${label} (${ruleId})`);
}

function assignedText({ assignment }: ListedFinding): string {
  return assignment === undefined
    ? 'nobody looks after it'
    : visibleText(`${assignment.assignee} looks after it`);
}
