import { dirname, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Report } from '#load/report';
import {
  applyOverrides,
  formatOfFile,
  type Override,
  parseOverride,
  parseScenario,
  parseScenarioText,
  withArtifacts,
} from '#load/scenario';
import { CommandFailure, EXIT, UsageError } from '#platform/cli';
import { durationSetting, SettingFault } from '#platform/config';
import { isMissingFile, NodeDisk } from '#platform/disk';
import { DomainError, stopSignal } from '#platform/foundation';
import { costText } from './run/cost-text.ts';
import { HiveHttp } from './run/hive-http.ts';
import { HivePatience } from './run/hive-patience.ts';
import { LiveLine } from './run/live-line.ts';
import { exitCodeOfReport, resultText, summaryJson } from './run/run-result.ts';
import { watchRun } from './run/watch-run.ts';
import { settingsOf } from './settings-of.ts';

const START_TIMEOUT_MS = 60_000;
const HIVE_TIMEOUT_MS = 30_000;
const ARTIFACT_BYTES_MAX = 33_554_432;

interface RunFlags {
  readonly wait?: boolean;
  readonly set: readonly Override[];
  readonly summaryJson?: string;
  readonly allowInconclusive?: boolean;
  readonly strict?: boolean;
  readonly startTimeout: number;
  readonly hiveTimeout: number;
}

export function addTo(command: Command): void {
  command
    .argument('<scenario>', 'scenario file in YAML, TOML or JSON')
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
        'with --wait: stop the run if it has not started after this time',
      )
        .argParser(parseDuration)
        .default(START_TIMEOUT_MS, '60s'),
    )
    .addOption(
      new Option(
        '--hive-timeout <duration>',
        'with --wait: time for which requests to an unresponsive hive are retried',
      )
        .argParser(parseDuration)
        .default(HIVE_TIMEOUT_MS, '30s'),
    )
    .option('--url <url>', 'URL of the hive')
    .action((file: string, flags: RunFlags, command: Command) => run(file, flags, command));
}

async function run(file: string, flags: RunFlags, command: Command): Promise<void> {
  const { url, apiKey } = settingsOf(command);
  assertWaits(flags);
  const document = await withArtifacts(applyOverrides(await readScenario(file), flags.set), (path) =>
    readArtifact(resolve(dirname(file), path)),
  );
  console.error(costText(parseScenario(document)));
  const hive = new HiveHttp(url, apiKey);
  const begun = await hive.create(document);
  if (flags.wait !== true) {
    console.log(begun.run_id);
    return;
  }
  const line = new LiveLine(process.stderr);
  const stopped = stopSignal();
  const { startTimeout: startTimeoutMs } = flags;
  const patience = new HivePatience(line, flags.hiveTimeout);
  const { run_id: runId } = begun;
  const report = await watchRun(begun, { hive, line, patience, stopped, startTimeoutMs })
    .then(() => patience.ask(runId, () => hive.report(runId)))
    .finally(() => line.end());
  await printResult(report, `${hive.base}/runs/${runId}/report?format=html`, flags);
}

/** Rejects flags that need the end of the run. Throws UsageError. */
function assertWaits({ wait, summaryJson: file, allowInconclusive, strict }: RunFlags): void {
  if (wait === true) return;
  if (file !== undefined) throw new UsageError('--summary-json needs --wait');
  if (allowInconclusive === true) throw new UsageError('--allow-inconclusive needs --wait');
  if (strict === true) throw new UsageError('--strict needs --wait');
}

async function printResult(report: Report, url: string, flags: RunFlags): Promise<void> {
  const { summaryJson: file, allowInconclusive, strict } = flags;
  const tolerance = { allowsUnknown: allowInconclusive === true, isStrict: strict === true };
  console.log(resultText(report, url));
  if (file !== undefined) await writeFile(file, summaryJson(report, url, tolerance));
  const code = exitCodeOfReport(report, tolerance);
  if (code !== EXIT.ok) throw new CommandFailure(code);
}

async function readScenario(file: string): Promise<unknown> {
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

/** Writes a file, replacing an existing one. */
async function writeFile(path: string, text: string): Promise<void> {
  const disk = new NodeDisk();
  await disk.remove(path);
  await disk.writeNew(path, new TextEncoder().encode(text));
}

function collectOverride(text: string, before: readonly Override[]): readonly Override[] {
  try {
    return [...before, parseOverride(text)];
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw new InvalidArgumentError(error.message);
  }
}

function parseDuration(text: string): number {
  try {
    return durationSetting({ env: '', about: '', fallback: 0 }).parse(text);
  } catch (error) {
    if (!(error instanceof SettingFault)) throw error;
    throw new InvalidArgumentError(error.message);
  }
}
