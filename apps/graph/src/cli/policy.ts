import { type Command, Option } from 'commander';
import { snapshotOf } from '#graph/memory';
import {
  compileException,
  type Evaluation,
  type EvaluationRequest,
  readRuleFiles,
  type Rule,
  type RuleResult,
  runRuleTests,
  SEVERITIES,
  type Severity,
  statementWhere,
  VIOLATIONS_MAX,
} from '#graph/policy';
import type { AskedMoment } from '#graph/engine';
import { UsageError, visibleText } from '#platform/cli';
import { NodeDisk } from '#platform/disk';
import { countedText, DomainError } from '#platform/foundation';
import type { GraphSettings } from '../settings.ts';
import { wholeNumberFrom } from './whole-number.ts';
import type { CommandContext } from './command-context.ts';
import {
  type DescribedRule,
  evaluationReport,
  type FailOn,
  failuresFrom,
  type ReportFormat,
  testReport,
} from './policy/evaluation-report.ts';
import { DEFAULT_FAIL_ON, FAIL_ON_WORDS, parseFailOn } from './policy/fail-on.ts';
import { asOfOf } from './query.ts';
import { HttpTarget } from './target/http-target.ts';

const WORD_CODES: ReadonlySet<string> = new Set(['UNKNOWN_CLASS', 'UNKNOWN_VERB', 'UNKNOWN_PROPERTY']);

const RULES_DIRECTORY = 'directory of rule files, *.yaml';

export function addTo(policy: Command, context: CommandContext): void {
  addValidate(policy, context);
  addTest(policy, context);
  addEvaluate(policy, context);
}

function addValidate(policy: Command, context: CommandContext): void {
  policy
    .command('validate')
    .description('validate rule files; reports the first error as file:line:column')
    .argument('<dir>', RULES_DIRECTORY)
    .option('--url <url>', 'URL of a server; lists names in the rules that its data does not contain')
    .option('--tls-ca <file>', 'CA certificate of the server')
    .action(async (directory: string, { url }: { readonly url?: string }, command: Command) => {
      const rules = await readRuleFiles(directory, new NodeDisk());
      const tests = rules.reduce((sum, rule) => sum + rule.tests.length, 0);
      await context.output.line(
        `well-formed: ${countedText(rules.length, 'rule')} with ${countedText(tests, 'test')}`,
      );
      if (url === undefined) return;
      const settings = context.settingsOf(command);
      const remarks = await unknownWords(rules, new HttpTarget({ ...settings, url }));
      for (const remark of remarks) await context.output.line(visibleText(remark));
      if (remarks.length === 0) await context.output.line('all their words are known to the data');
    });
}

function addTest(policy: Command, { output }: CommandContext): void {
  policy
    .command('test')
    .description('run the tests contained in the rules, each on a small graph of its own')
    .argument('<dir>', RULES_DIRECTORY)
    .addOption(formatOption(['table', 'json', 'junit']))
    .action(async (directory: string, { format }: { readonly format: 'table' | 'json' | 'junit' }) => {
      const rules = await readRuleFiles(directory, new NodeDisk());
      const results = rules.flatMap((rule) => runRuleTests(rule, (graph) => snapshotOf(graph, Date.now())));
      await output.write(testReport(results, format));
      const failed = results.filter(({ isPassed }) => !isPassed).length;
      if (failed > 0)
        throw new DomainError('CONFLICT', `${failed} of ${countedText(results.length, 'test')} failed`);
    });
}

interface EvaluateFlags {
  readonly format: ReportFormat;
  readonly maxResults?: number;
  readonly failOn: FailOn;
  readonly severityMin?: Severity;
  readonly framework?: string;
  readonly asOf?: string;
  readonly dataDir?: string;
  readonly url?: string;
}

function addEvaluate(policy: Command, context: CommandContext): void {
  policy
    .command('evaluate')
    .description('evaluate rule files on an unused data directory, or the rules of a server (--url)')
    .argument('[dir]', RULES_DIRECTORY)
    .addOption(formatOption(['table', 'json', 'junit', 'sarif']))
    .addOption(
      new Option(
        '--fail-on <what>',
        'exit code 1 for rules of at least this severity, with these results, or both: high,nodata',
      )
        .choices(FAIL_ON_WORDS)
        .argParser(parseFailOn)
        .default(DEFAULT_FAIL_ON, 'info,fail,error'),
    )
    .addOption(severityOption('--severity-min <severity>', 'only rules of at least this severity'))
    .option('--framework <name>', 'only rules mapped to this framework')
    .option(
      '--as-of <moment>',
      'the graph as it was: at a time, or after the batch of a number; nothing is stored',
    )
    .addOption(
      new Option(
        '--max-results <n>',
        'maximum number of findings in SARIF (at most 5000) and JUnit, most severe first; default: all',
      ).argParser(wholeNumberFrom(0)),
    )
    .option('--data-dir <path>', 'data directory')
    .option('--url <url>', 'URL of a running server')
    .option('--tls-ca <file>', 'CA certificate of the server')
    .action(async (directory: string | undefined, flags: EvaluateFlags, command: Command) => {
      refuseTwoTargets(directory, flags);
      const { format, maxResults } = flags;
      if (maxResults !== undefined && format !== 'sarif' && format !== 'junit') {
        throw new UsageError('--max-results is for --format sarif and junit');
      }
      const { evaluation, rules } = await evaluate(context.settingsOf(command), directory, flags);
      const report = { format, rules, ...(maxResults !== undefined && { maxResults }) };
      await context.output.write(evaluationReport(evaluation, report));
      const failed = failuresFrom(evaluation, flags.failOn);
      if (failed.length > 0) throw new DomainError('CONFLICT', failedText(failed, flags.failOn));
    });
}

function failedText(failed: readonly RuleResult[], { severity, statuses }: FailOn): string {
  const ids = failed.map(({ rule_id: id }) => id).join(', ');
  const what = statuses.includes('NoData') ? 'failed, or had no data' : 'failed';
  return `rules of severity ${severity} or worse ${what}: ${ids}`;
}

/** A variable such as PLEXUS_URL is a default that the command line overrides. */
function refuseTwoTargets(directory: string | undefined, { url, dataDir }: EvaluateFlags): void {
  if (url === undefined) return;
  const other = directory === undefined ? dataDir && '--data-dir' : 'a directory of rule files';
  if (other === undefined) return;
  throw new UsageError(
    `expected ${other} or --url, got both: a server evaluates its own rules on its own data`,
  );
}

interface Evaluated {
  readonly evaluation: Evaluation;
  readonly rules: readonly DescribedRule[];
}

/** A table shows a few examples; the other formats show everything. */
async function evaluate(
  settings: GraphSettings,
  directory: string | undefined,
  { framework, severityMin, format, asOf }: EvaluateFlags,
): Promise<Evaluated> {
  const isWhole = format !== 'table';
  const frameworks = framework === undefined ? undefined : [framework];
  if (directory !== undefined) {
    const limit = isWhole ? Infinity : undefined;
    const { evaluateDirectory } = await import('./policy/evaluate-directory.ts');
    return evaluateDirectory(
      settings,
      directory,
      { frameworks, severityMin, limit },
      await askedMoment(asOf),
    );
  }
  const limit = isWhole ? VIOLATIONS_MAX : undefined;
  if (settings.url === '') throw new UsageError('expected a directory of rule files, or --url of a server');
  await askedMoment(asOf);
  return evaluateServer(new HttpTarget(settings), { frameworks, severityMin, limit }, asOfOf(asOf));
}

async function askedMoment(text: string | undefined): Promise<AskedMoment | undefined> {
  const { as_of: value } = asOfOf(text);
  if (value === undefined) return undefined;
  const { momentOf } = await import('#graph/engine');
  const asked = momentOf(value);
  if (asked === undefined) throw new UsageError('--as-of: expected a time (RFC 3339) or a sequence number');
  return asked;
}

async function evaluateServer(
  server: HttpTarget,
  { frameworks, severityMin, limit }: EvaluationRequest,
  moment: ReturnType<typeof asOfOf>,
): Promise<Evaluated> {
  const evaluation = await server.post<Evaluation>('/v1/policies/evaluate', {
    ...(frameworks && { frameworks }),
    ...(severityMin && { severity_min: severityMin }),
    ...(limit !== undefined && { limit }),
    ...moment,
  });
  const { rules } = await server.get<{ readonly rules: readonly DescribedRule[] }>('/v1/policies');
  return { evaluation, rules };
}

function formatOption(formats: readonly ReportFormat[]): Option {
  return new Option('--format <format>', 'form of the result').choices(formats).default('table');
}

function severityOption(flags: string, description: string): Option {
  return new Option(flags, description).choices(SEVERITIES);
}

/** A line for each name in the rules' queries that is neither in the server's data nor in its vocabulary. */
async function unknownWords(rules: readonly Rule[], server: HttpTarget): Promise<readonly string[]> {
  const lines = new Set<string>();
  for (const rule of rules) {
    const params = valuesOf(rule);
    for (const text of textsOf(rule)) {
      const { warnings } =
        rule.cypher === undefined
          ? await server.query({ pql: `EXPLAIN ${text}`, params })
          : await server.cypher({ cypher: `EXPLAIN ${text}`, params });
      for (const { code, message } of warnings) {
        if (WORD_CODES.has(code)) lines.add(`${rule.id}: ${message}`);
      }
    }
  }
  return [...lines];
}

function textsOf({ query = '', cypher, population, exceptions }: Rule): readonly string[] {
  const matches = exceptions.map(({ match }) =>
    cypher === undefined ? compileException(query, match).pql : statementWhere(cypher, match),
  );
  return [cypher ?? query, ...(population === undefined ? [] : [population]), ...matches];
}

/** Placeholder parameters: explaining a query needs values of the right kind only. */
function valuesOf({ parameters }: Rule): Readonly<Record<string, unknown>> {
  const samples = { string: '', number: 0, boolean: false, list: [] } as const;
  return Object.fromEntries(
    Object.entries(parameters).map(([name, { type, default: value = samples[type] }]) => [name, value]),
  );
}
