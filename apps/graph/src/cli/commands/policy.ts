import { type Command, Option } from 'commander';
import { DomainError } from '#foundation';
import { snapshotOf } from '#graph';
import { type Evaluation, runRuleTests, SEVERITIES, type Severity } from '#policy';
import { readRuleFiles } from '../../policy/rule-files.ts';
import type { GraphSettings } from '../../settings.ts';
import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../exit-code.ts';
import { evaluateDirectory } from '../policy/evaluate-directory.ts';
import {
  evaluationReport,
  failuresFrom,
  type ReportFormat,
  testReport,
} from '../policy/evaluation-report.ts';
import { HttpTarget } from '../target/http-target.ts';

const RULES_DIRECTORY = 'directory of rule files, *.yaml';

export function addPolicy(program: Command, context: CommandContext): void {
  const policy = program.command('policy').description('rules: check them, test them, evaluate them');
  addValidate(policy, context);
  addTest(policy, context);
  addEvaluate(policy, context);
}

function addValidate(policy: Command, { output }: CommandContext): void {
  policy
    .command('validate')
    .description('read rule files; the first fault is told as file:line:column')
    .argument('<dir>', RULES_DIRECTORY)
    .action(async (directory: string) => {
      const rules = await readRuleFiles(directory);
      const tests = rules.reduce((sum, rule) => sum + rule.tests.length, 0);
      await output.line(`${rules.length} rules with ${tests} tests are well-formed`);
    });
}

function addTest(policy: Command, { output }: CommandContext): void {
  policy
    .command('test')
    .description('run the tests that stand within the rules, each on a small graph of its own')
    .argument('<dir>', RULES_DIRECTORY)
    .addOption(formatOption(['table', 'json', 'junit']))
    .action(async (directory: string, { format }: { readonly format: 'table' | 'json' | 'junit' }) => {
      const rules = await readRuleFiles(directory);
      const results = rules.flatMap((rule) => runRuleTests(rule, (graph) => snapshotOf(graph, Date.now())));
      await output.write(testReport(results, format));
      const failed = results.filter(({ isPassed }) => !isPassed).length;
      if (failed > 0) throw new DomainError('CONFLICT', `${failed} of ${results.length} tests failed`);
    });
}

interface EvaluateFlags {
  readonly format: ReportFormat;
  readonly failOn: Severity;
  readonly severityMin?: Severity;
  readonly framework?: string;
  readonly dataDir?: string;
  readonly url?: string;
}

function addEvaluate(policy: Command, context: CommandContext): void {
  policy
    .command('evaluate')
    .description(
      'evaluate rule files on a data directory that no server holds, or a server’s own rules (--url)',
    )
    .argument('[dir]', RULES_DIRECTORY)
    .addOption(formatOption(['table', 'json', 'junit', 'sarif']))
    .addOption(
      severityOption('--fail-on <severity>', 'end with 1 if a rule of it, or worse, fails').default('info'),
    )
    .addOption(severityOption('--severity-min <severity>', 'rules of it and worse only'))
    .option('--framework <name>', 'rules mapped to it only')
    .option('--data-dir <path>', 'data directory')
    .option('--url <url>', 'server to ask')
    .action(async (directory: string | undefined, flags: EvaluateFlags, command: Command) => {
      refuseTwoTargets(directory, flags);
      const evaluation = await evaluate(context.settingsOf(command), directory, flags);
      await context.output.write(evaluationReport(evaluation, flags.format));
      const failed = failuresFrom(evaluation, flags.failOn).map(({ rule_id: id }) => id);
      if (failed.length > 0) {
        throw new DomainError(
          'CONFLICT',
          `rules of severity ${flags.failOn} or worse failed: ${failed.join(', ')}`,
        );
      }
    });
}

/** A variable such as PLEXUS_URL is a default, which what stands on the command line overrides. */
function refuseTwoTargets(directory: string | undefined, { url, dataDir }: EvaluateFlags): void {
  if (url === undefined) return;
  const other = directory === undefined ? dataDir && '--data-dir' : 'a directory of rule files';
  if (other === undefined) return;
  throw new UsageError(
    `expected ${other} or --url, got both: a server evaluates its own rules on its own data`,
  );
}

function evaluate(
  settings: GraphSettings,
  directory: string | undefined,
  { framework, severityMin }: EvaluateFlags,
): Promise<Evaluation> {
  const frameworks = framework === undefined ? undefined : [framework];
  if (directory !== undefined) return evaluateDirectory(settings, directory, { frameworks, severityMin });
  if (settings.url === '') throw new UsageError('expected a directory of rule files, or --url of a server');
  const request = { ...(frameworks && { frameworks }), ...(severityMin && { severity_min: severityMin }) };
  return new HttpTarget(settings.url, settings.apiKey).post<Evaluation>('/v1/policies/evaluate', request);
}

function formatOption(formats: readonly ReportFormat[]): Option {
  return new Option('--format <format>').choices(formats).default('table');
}

function severityOption(flags: string, description: string): Option {
  return new Option(flags, description).choices(SEVERITIES);
}
