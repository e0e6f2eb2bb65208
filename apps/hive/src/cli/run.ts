import { dirname, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { RunView } from '#load/coordination';
import { type Report, renderSearch, searchHeadline } from '#load/report';
import {
  applyOverrides,
  formatOfFile,
  type Override,
  parseOverride,
  parseScenario,
  parseScenarioText,
  withArtifacts,
} from '#load/scenario';
import { CommandFailure, EXIT, readStandardInput, STANDARD_INPUT, UsageError } from '#platform/cli';
import { durationSetting, SettingFault } from '#platform/config';
import { isMissingFile, NodeDisk, OutputFile } from '#platform/disk';
import { DomainError, type StopSignal, stopSignal } from '#platform/foundation';
import { exitCodeOfSearch, findMaximum } from './run/find-maximum.ts';
import { costText } from './run/cost-text.ts';
import { HiveHttp } from './run/hive-http.ts';
import { HivePatience } from './run/hive-patience.ts';
import { LiveLine } from './run/live-line.ts';
import { exitCodeOfReport, resultText, summaryJson } from './run/run-result.ts';
import { watchRun } from './run/watch-run.ts';
import { settingsOf } from './settings-of.ts';

const START_TIMEOUT_MS = 60_000;
const HIVE_TIMEOUT_MS = 30_000;
const FIND_FROM = 50;
const FIND_TO = 100_000;
const FIND_PRECISION = 5;
const FIND_STEP_MS = 30_000;
const PERCENT = 100;
const ARTIFACT_BYTES_MAX = 33_554_432;

interface RunFlags {
  readonly wait?: boolean;
  readonly set: readonly Override[];
  readonly summaryJson?: string;
  readonly allowInconclusive?: boolean;
  readonly strict?: boolean;
  readonly findMax?: boolean;
  readonly slo?: string;
  readonly findFrom: number;
  readonly findTo: number;
  readonly findPrecision: number;
  readonly findStep: number;
  readonly report?: string;
  readonly startTimeout?: number;
  readonly hiveTimeout: number;
}

export function addTo(command: Command): void {
  command
    .argument('<scenario>', 'scenario file in YAML, TOML or JSON; - reads YAML or JSON from standard input')
    .option(
      '--wait',
      'wait for the end; exit code 0 held or finished with reservations, 1 failed, 10 threshold missed, ' +
        '11 check failed, 12 unknown',
    )
    .option('--allow-inconclusive', 'with --wait: exit code 0 instead of 12 if the verdict is unknown')
    .option('--strict', 'with --wait: exit code 10 instead of 0 for reservations')
    .option('--set <path=value>', 'override a value of the scenario; repeatable', collectOverride, [])
    .option('--summary-json <file>', 'with --wait: write the result to a file')
    .addOption(
      new Option(
        '--start-timeout <duration>',
        'with --wait: the hive aborts the run if it has not started after this time (default: edges.start_timeout of the ' +
          'scenario, else 60s)',
      ).argParser(parseDuration),
    )
    .addOption(
      new Option(
        '--hive-timeout <duration>',
        'with --wait: time for which requests to an unresponsive hive are retried',
      )
        .argParser(parseDuration)
        .default(HIVE_TIMEOUT_MS, '30s'),
    )
    .option(
      '--find-max',
      'with --wait: find the highest rate at which the objectives are met, by several runs',
    )
    .option('--slo <objectives>', 'with --find-max: such as "p99<500ms,failed<1%"')
    .option('--find-from <rate>', 'with --find-max: rate of the first step', parseRate, FIND_FROM)
    .option('--find-to <rate>', 'with --find-max: highest rate that is tried', parseRate, FIND_TO)
    .option('--find-precision <percent>', 'with --find-max: accepted uncertainty', parseRate, FIND_PRECISION)
    .addOption(
      new Option('--find-step <duration>', 'with --find-max: time of each step, without its warm-up')
        .argParser(parseDuration)
        .default(FIND_STEP_MS, '30s'),
    )
    .option('--report <file>', 'with --find-max: write the search as a page')
    .option('--url <url>', 'URL of the hive')
    .option('--tls-ca <file>', 'CA certificate of the hive')
    .action((file: string, flags: RunFlags, command: Command) => run(file, flags, command));
}

async function run(file: string, flags: RunFlags, command: Command): Promise<void> {
  const settings = settingsOf(command);
  assertWaits(flags);
  const outputs = outputsOf(flags);
  const document = await withArtifacts(applyOverrides(await readScenario(file), flags.set), (path) =>
    readArtifact(resolve(dirname(file), path)),
  );
  const scenario = parseScenario(document);
  console.error(costText(scenario));
  const hive = new HiveHttp(settings);
  if (flags.wait !== true) {
    console.log((await hive.create(document)).run_id);
    return;
  }
  const limited = withStartLimit(
    document,
    flags.startTimeout ?? scenario.edges.start_timeout ?? START_TIMEOUT_MS,
  );
  if (flags.findMax === true) {
    await search(limited, flags, { hive, outputs });
    return;
  }
  const stopped = stopSignal();
  const begun = await hive.create(limited);
  const report = await watched(begun, flags, { hive, stopped });
  await printResult(report, `${hive.base}/runs/${begun.run_id}/report?format=html`, { flags, outputs });
}

/** The hive itself ends a run that does not start: this command may be killed before. */
function withStartLimit(document: unknown, limitMs: number): unknown {
  const scenario = document as Readonly<Record<string, unknown>>;
  const edges = scenario['edges'] as object | undefined;
  return { ...scenario, edges: { ...edges, start_timeout: `${limitMs}ms` } };
}

/** The files for the results. */
interface Outputs {
  readonly summary: OutputFile | undefined;
  readonly page: OutputFile | undefined;
}

/** Throws DiskError for a file that could not be written at the end. */
function outputsOf({ summaryJson: summary, report: page }: RunFlags): Outputs {
  const fileAt = (path: string | undefined) => (path === undefined ? undefined : new OutputFile(path));
  return { summary: fileAt(summary), page: fileAt(page) };
}

/** Watches a run to its end, and returns its report. */
function watched(
  begun: RunView,
  flags: RunFlags,
  { hive, stopped }: { readonly hive: HiveHttp; readonly stopped: StopSignal },
): Promise<Report> {
  const line = new LiveLine(process.stderr);
  const patience = new HivePatience(line, flags.hiveTimeout);
  const { run_id: runId } = begun;
  return watchRun(begun, { hive, line, patience, stopped })
    .then(() => patience.ask(runId, () => hive.report(runId)))
    .finally(() => line.end());
}

/**
 * Runs the scenario at several rates. A signal drains the current run, and ends the search with it; a failure
 * ends the search too.
 */
async function search(
  document: unknown,
  flags: RunFlags,
  { hive, outputs }: { readonly hive: HiveHttp; readonly outputs: Outputs },
): Promise<void> {
  const stopped = stopSignal();
  let isStopped = false;
  void stopped.promise.then(() => (isStopped = true));
  let failure: Error | undefined;
  const found = await findMaximum(document, {
    objectives: flags.slo ?? '',
    from: flags.findFrom,
    to: flags.findTo,
    precision: flags.findPrecision / PERCENT,
    stepMs: flags.findStep,
    run: async (step) => {
      try {
        const report = await watched(await hive.create(step), flags, { hive, stopped });
        return isStopped ? undefined : report;
      } catch (error) {
        failure = error instanceof Error ? error : new Error(String(error));
        return undefined;
      }
    },
    onStep: ({ rate, end, why, run_id: runId }) => {
      console.log(`  ${rate}/s ${end}${why === '' ? '' : `: ${why}`} (${runId})`);
    },
  });
  // What earlier steps have found is worth having without the step that could not be made.
  if (failure !== undefined && found.steps.length === 0) throw failure;
  console.log(searchHeadline(found));
  const code =
    failure === undefined ? exitCodeOfSearch(found, flags.allowInconclusive === true) : EXIT.failed;
  await outputs.summary?.write(`${JSON.stringify({ ...found, exit_code: code }, null, 2)}\n`);
  await outputs.page?.write(renderSearch(found, hive.base));
  if (failure !== undefined) throw failure;
  if (code !== EXIT.ok) throw new CommandFailure(code);
}

/** Rejects flags that need the end of the run. Throws UsageError. */
function assertWaits(flags: RunFlags): void {
  const { wait, summaryJson: file, allowInconclusive, strict, findMax, slo, report } = flags;
  if (findMax !== true && slo !== undefined) throw new UsageError('--slo needs --find-max');
  if (findMax !== true && report !== undefined) throw new UsageError('--report needs --find-max');
  if (findMax === true && slo === undefined) throw new UsageError('--find-max needs --slo');
  if (wait === true) return;
  if (findMax === true) throw new UsageError('--find-max needs --wait');
  if (file !== undefined) throw new UsageError('--summary-json needs --wait');
  if (allowInconclusive === true) throw new UsageError('--allow-inconclusive needs --wait');
  if (strict === true) throw new UsageError('--strict needs --wait');
}

async function printResult(
  report: Report,
  url: string,
  { flags, outputs }: { readonly flags: RunFlags; readonly outputs: Outputs },
): Promise<void> {
  const { allowInconclusive, strict } = flags;
  const tolerance = { allowsUnknown: allowInconclusive === true, isStrict: strict === true };
  console.log(resultText(report, url));
  await outputs.summary?.write(summaryJson(report, url, tolerance));
  const code = exitCodeOfReport(report, tolerance);
  if (code !== EXIT.ok) throw new CommandFailure(code);
}

/** A scenario on standard input is YAML, or JSON, which is YAML as well. */
async function readScenario(file: string): Promise<unknown> {
  if (file === '-') return parseScenarioText(await readStandardInput(), 'yaml', STANDARD_INPUT);
  const format = formatOfFile(file);
  if (format === undefined) throw new UsageError(`${file}: expected a file named .yaml, .toml or .json`);
  const text = await new NodeDisk().readText(file).catch((cause: unknown) => {
    if (!isMissingFile(cause)) throw cause;
    throw new UsageError(`${file}: no such file`);
  });
  return parseScenarioText(text, format, file);
}

async function readArtifact(path: string): Promise<string> {
  const disk = new NodeDisk();
  const file = await disk.open(path, 'read').catch((cause: unknown) => {
    if (!isMissingFile(cause)) throw cause;
    throw new UsageError(`${path}: no such file`);
  });
  const bytes = await file.size().finally(() => file.close());
  if (bytes > ARTIFACT_BYTES_MAX)
    throw new UsageError(`${path}: expected at most ${ARTIFACT_BYTES_MAX} bytes`);
  return disk.readText(path);
}

function collectOverride(text: string, before: readonly Override[]): readonly Override[] {
  try {
    return [...before, parseOverride(text)];
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw new InvalidArgumentError(error.message);
  }
}

function parseRate(text: string): number {
  const value = Number(text);
  if (/^\d+(?:\.\d+)?$/.test(text) && value > 0 && value <= RATE_MAX) return value;
  throw new InvalidArgumentError(`expected a number above 0, up to ${RATE_MAX}`);
}

const RATE_MAX = 1_000_000;

function parseDuration(text: string): number {
  try {
    return durationSetting({ env: '', about: '', fallback: 0 }).parse(text);
  } catch (error) {
    if (!(error instanceof SettingFault)) throw error;
    throw new InvalidArgumentError(error.message);
  }
}
