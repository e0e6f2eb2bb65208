import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { CHECK_LIMITS, CHECKS, limitsText } from '#load/oracle';
import { readFooter, verifyParts } from '#load/telemetry';
import { type Disk, isFullDisk, isMissingFile } from '#platform/disk';
import { assert, DomainError } from '#platform/foundation';
import { ReportCache } from './data/report-cache.ts';
import type {
  OutcomeCounts,
  Report,
  ReportKind,
  ReportCheck,
  ReportSummary,
  ReportViolation,
} from './data/report.ts';
import { readRunRecord, type RunPart, type ReportedRun, type RunTally } from './data/run-record.ts';
import { feedTotal, readEdges } from './query/edges.ts';
import { readLatencies } from './query/latency.ts';
import { QUERIED_TABLES, RunFiles } from './query/run-files.ts';
import { readThroughput } from './query/throughput.ts';
import { readErrors, readKinds, readViolations } from './query/violations.ts';
import { readReads } from './query/reads.ts';
import { readWays } from './query/ways.ts';
import { isBalanced, verdictOfRun } from './verdict-of-run.ts';
import { headlineOf } from './verdict/run-verdict.ts';

const US_PER_MS = 1_000;
const MS_PER_SECOND = 1_000;
const FINISHED: ReadonlySet<string> = new Set(['Completed', 'Failed']);

/**
 * Builds the report of a run from its Parquet files. It is cached next to them and reused while run.json and
 * every part are unchanged. Throws NOT_FOUND, RUN_NOT_FINISHED, REPORT_DATA_MISSING, REPORT_DATA_UNREADABLE,
 * NO_DISK_SPACE; it never returns a partial report.
 */
export async function buildReport(disk: Disk, directory: string): Promise<Report> {
  const run = await readRunRecord(disk, directory);
  if (!FINISHED.has(run.status)) {
    const message = `expected a run that is Completed or Failed, this one is ${run.status}`;
    throw new DomainError('RUN_NOT_FINISHED', message, { details: { status: run.status } });
  }
  const cache = new ReportCache(disk, directory, {
    parts: await checkParts(disk, directory, run.parts),
    run,
  });
  const known = await cache.read();
  if (known !== null) return known;
  const verify = (isWanted: (part: RunPart) => boolean): Promise<void> => {
    const paths = run.parts.filter(isWanted).map(({ name }) => join(directory, name));
    return verifyParts(disk, paths);
  };
  await verify(({ table }) => QUERIED_TABLES.has(table));
  // The tables that are not queried are two thirds of all bytes.
  const [report] = await Promise.all([
    compute(directory, run),
    verify(({ table }) => !QUERIED_TABLES.has(table)),
  ]);
  return cache.keep(report).catch(refuseFullDisk);
}

async function compute(directory: string, run: ReportedRun): Promise<Report> {
  const files = await RunFiles.open(directory, run.parts);
  try {
    const verdict = verdictOfRun(run);
    assert(verdict !== null, 'a run of which there is a report has ended');
    const latency = await readLatencies(files);
    const edges = await readEdges(files, run.edges);
    return {
      ...identityOf(run),
      verdict,
      headline: headlineOf(verdict),
      summary: summaryOf(run),
      oracle: checksOf(run, await readViolations(files)),
      limits: CHECKS.flatMap((check) =>
        CHECK_LIMITS[check].cannotSee.map(({ code, text }) => ({
          code,
          check,
          message: `cannot see ${text}`,
        })),
      ),
      thresholds: run.thresholds.map(({ metric, min, max, value, is_met, is_default }) => ({
        metric,
        min,
        max,
        value,
        is_met,
        is_default: is_default === true,
      })),
      latency,
      throughput: await readThroughput(files, run),
      errors: await readErrors(files),
      kinds: withUndrawn(await readKinds(files), run),
      reads: await readReads(files, measuredSeconds(run)),
      ways: await readWays(files),
      edges,
      feed: feedTotal(edges.map(({ feed }) => feed)),
      generator: {
        is_limited: run.findings.some(({ code }) => code === 'generator_limited'),
        events_dropped: run.tally.events_dropped,
        send_delay_p99_ms: latency.send_delay?.p99 ?? null,
      },
      findings: run.findings,
      setup: run.setup ?? [],
      stages: run.stages.map(({ from_us, to_us, ...stage }) => ({
        ...stage,
        from: timeOf(from_us),
        to: timeOf(to_us),
      })),
      rate_changes: (run.rate_changes ?? []).map(({ at_us, rate, edges: applied }) => ({
        at: timeOf(at_us),
        rate,
        edges: applied.map((edge) => ({ edge_id: edge.edge_id, at: timeOf(edge.at_us) })),
      })),
      environment: run.hive,
      scenario: withShortCode(run.scenario),
    };
  } finally {
    files.close();
  }
}

function identityOf(run: ReportedRun) {
  const { run_id, name, reason, started_at_us, ended_at_us } = run;
  return {
    run_id,
    name,
    status: run.status === 'Completed' ? ('Completed' as const) : ('Failed' as const),
    reason,
    started_at: started_at_us === null ? null : timeOf(started_at_us),
    ended_at: ended_at_us === null ? null : timeOf(ended_at_us),
    duration_ms:
      started_at_us === null || ended_at_us === null ? 0 : (ended_at_us - started_at_us) / US_PER_MS,
  };
}

/** Uses the counters of the edges, which are exact even if rows were dropped. */
function summaryOf(run: ReportedRun): ReportSummary {
  const { tally, measured = run.tally, not_sent: reasons = [] } = run;
  const seconds = measuredSeconds(run);
  const perSecond = (count: number): number => (seconds === 0 ? 0 : count / seconds);
  const { reverted = 0, rejected_unexpected = 0, acked_lost = 0, expect_unmet = 0 } = tally;
  const failed = measured.failed_unexpected ?? 0;
  return {
    ...outcomesOf(tally),
    reverted,
    rejected_unexpected,
    acked_lost,
    expect_unmet,
    not_sent_reasons: reasons,
    measured: outcomesOf(measured),
    planned_rate: perSecond(measured.planned),
    achieved_rate: perSecond(measured.sent),
    achieved_rate_ratio: measured.planned === 0 ? null : measured.sent / measured.planned,
    tx_failed_ratio: measured.sent === 0 ? null : failed / measured.sent,
    is_balanced: isBalanced(tally),
  };
}

/** Adds a row for each kind of the mix of which no transaction was drawn. */
function withUndrawn(kinds: readonly ReportKind[], { scenario }: ReportedRun): readonly ReportKind[] {
  const mix = (scenario as { readonly mix?: readonly { readonly kind: string }[] } | null)?.mix ?? [];
  const undrawn = new Set(mix.map(({ kind }) => kind)).difference(new Set(kinds.map(({ kind }) => kind)));
  const nothing = { planned: 0, sent: 0, not_sent: 0, included: 0, rejected: 0, unknown: 0 };
  return [...kinds, ...Array.from(undrawn, (kind) => ({ kind, ...nothing }))];
}

function outcomesOf({ planned, sent, not_sent, included, rejected, unknown }: RunTally): OutcomeCounts {
  return { planned, sent, not_sent, included, rejected, unknown };
}

function measuredSeconds({ stages }: ReportedRun): number {
  const measured = stages.filter(({ is_excluded }) => !is_excluded);
  const us = measured.reduce((sum, { from_us, to_us }) => sum + to_us - from_us, 0);
  return us / US_PER_MS / MS_PER_SECOND;
}

function checksOf({ oracle }: ReportedRun, violations: readonly ReportViolation[]): Report['oracle'] {
  const checks = CHECKS.flatMap((check): [string, ReportCheck][] => {
    const verdict = oracle[check];
    if (verdict === undefined) return [];
    const own = violations.filter((violation) => violation.check === check);
    const limits = limitsText(check);
    return [[check, { ...verdict, limits, gaps: verdict.gaps ?? [], violations: own }]];
  });
  return Object.fromEntries(checks);
}

function timeOf(us: number): string {
  return new Date(us / US_PER_MS).toISOString();
}

function refuseFullDisk(error: unknown): never {
  if (!isFullDisk(error)) throw error;
  throw new DomainError('NO_DISK_SPACE', 'expected room on the disk to keep the report', { cause: error });
}

/**
 * Checks that every part listed in run.json exists with its recorded length and footer, and returns a
 * fingerprint of all parts, which changes when a part is modified. Throws REPORT_DATA_MISSING or
 * REPORT_DATA_UNREADABLE with the name of the first invalid part.
 */
async function checkParts(disk: Disk, directory: string, parts: readonly RunPart[]): Promise<string> {
  const hash = createHash('sha256');
  for (const part of parts) {
    const { rows, bytes, footerCrc, modifiedMs } = await footerOf(disk, directory, part.name);
    if (rows !== part.rows || bytes !== part.bytes || footerCrc !== part.footer_crc) {
      throw changed(part, bytes);
    }
    hash.update(`${part.name}\0${rows}\0${bytes}\0${footerCrc}\0${modifiedMs}\0`);
  }
  return hash.digest('hex');
}

async function footerOf(disk: Disk, directory: string, name: string): ReturnType<typeof readFooter> {
  try {
    return await readFooter(disk, join(directory, name));
  } catch (error) {
    if (!isMissingFile(error)) throw error;
    const message = `expected ${name} among the files of the run, found none`;
    throw new DomainError('REPORT_DATA_MISSING', message, { cause: error, details: { file: name } });
  }
}

function changed({ name, bytes }: RunPart, found: number): DomainError {
  const message = `expected ${name} as it was when the run ended (${bytes} bytes), found another (${found} bytes)`;
  return new DomainError('REPORT_DATA_UNREADABLE', message, { details: { file: name } });
}

const CODE_CHARACTERS_SHOWN = 66;

/** Creation code of contracts is shortened: a page with megabytes of it is not readable. */
function withShortCode(scenario: unknown): unknown {
  const text = JSON.stringify(scenario, (name, value: unknown) => {
    if (name !== 'bytecode' || typeof value !== 'string' || value.length <= CODE_CHARACTERS_SHOWN)
      return value;
    return `${value.slice(0, CODE_CHARACTERS_SHOWN)}… (${value.length} characters)`;
  });
  return JSON.parse(text) as unknown;
}
