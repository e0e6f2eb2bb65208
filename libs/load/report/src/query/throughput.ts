import type { ThroughputPoint } from '../data/report.ts';
import type { ReportedRun, RunStage } from '../data/run-record.ts';
import type { RunFiles } from './run-files.ts';

const US_PER_SECOND = 1_000_000;
const US_PER_MS = 1_000;
/** Limit of the seconds after the load; later times of an edge are ignored. */
const TAIL_MAX = 3_600;

interface SlotRow {
  readonly [name: string]: unknown;
  readonly slot: number;
  readonly planned: number;
  readonly sent: number;
  readonly included: number;
  readonly rejected: number;
  readonly p99_us: number | null;
}

/**
 * The seconds of a run, counted from its start by the hive's clock. The load has whole seconds, the last of
 * which is longer or shorter by the remainder; the seconds of settling follow.
 */
class Seconds {
  readonly startUs: number;
  readonly endUs: number;
  /** Number of seconds of the load. */
  readonly count: number;

  constructor(startUs: number, stages: readonly RunStage[]) {
    this.startUs = startUs;
    this.endUs = Math.max(startUs + 1, stages.at(-1)?.to_us ?? startUs + 1);
    this.count = Math.max(1, Math.round((this.endUs - startUs) / US_PER_SECOND));
  }

  /** The index of the second that contains a time, as an SQL expression. */
  slotOf(time: string): string {
    const since = `(${time} - ${this.startUs}) // ${US_PER_SECOND}`;
    const after = `(${time} - ${this.endUs}) // ${US_PER_SECOND}`;
    return `CASE WHEN ${time} < ${this.endUs} THEN greatest(least(${since}, ${this.count - 1}), 0)
      ELSE ${this.count} + ${after} END`;
  }

  fromUs(slot: number): number {
    return slot < this.count
      ? this.startUs + slot * US_PER_SECOND
      : this.endUs + (slot - this.count) * US_PER_SECOND;
  }

  lengthUs(slot: number): number {
    return slot === this.count - 1 ? this.endUs - this.fromUs(slot) : US_PER_SECOND;
  }
}

/**
 * Transactions planned, sent, included and rejected in each second by all edges, with the p99 latency of the
 * transactions intended in it. A second counts the events in it; edges' times are corrected by their clock
 * offsets.
 */
export async function readThroughput(files: RunFiles, run: ReportedRun): Promise<readonly ThroughputPoint[]> {
  const startUs = run.started_at_us ?? (await firstIntended(files));
  if (startUs === null) return [];
  const seconds = new Seconds(startUs, run.stages);
  const rows = await readSlots(files, seconds);
  const bySlot = new Map(rows.map((row) => [row.slot, row]));
  const last = Math.min(rows.at(-1)?.slot ?? -1, seconds.count + TAIL_MAX);
  const isOpen = run.stages.some(({ start_rate: from, end_rate: to }) => from + to > 0);
  return Array.from({ length: last + 1 }, (_, slot) => {
    const row = bySlot.get(slot);
    const fromUs = seconds.fromUs(slot);
    const lengthUs = seconds.lengthUs(slot);
    const asked = askedBetween(run, fromUs, fromUs + lengthUs);
    return {
      at: new Date(fromUs / US_PER_MS).toISOString(),
      seconds: lengthUs / US_PER_SECOND,
      planned: isOpen ? asked : (row?.planned ?? 0),
      sent: row?.sent ?? 0,
      included: row?.included ?? 0,
      rejected: row?.rejected ?? 0,
      intended_feed_p99: row === undefined || row.p99_us === null ? null : Math.round(row.p99_us) / US_PER_MS,
    };
  });
}

async function firstIntended(files: RunFiles): Promise<number | null> {
  const { first } = await files.row<{ first: number | null }>(
    'SELECT min(intended_us)::DOUBLE AS first FROM transactions',
  );
  return first;
}

/** The time of each event of a transaction, as SQL; null if it did not happen. */
const MOMENTS = {
  planned: 'intended_us',
  sent: 'sent_us',
  included: "coalesce(feed_us, block_us, CASE WHEN outcome = 'included' THEN acked_us END)",
  rejected: "CASE WHEN outcome = 'rejected' THEN coalesce(acked_us, sent_us) END",
} as const;

function readSlots(files: RunFiles, seconds: Seconds): Promise<readonly SlotRow[]> {
  const slotOf = (moment: string): string => `(${seconds.slotOf(`(${moment} - offset_us)`)})::DOUBLE AS slot`;
  const counted = Object.entries(MOMENTS).map(
    ([what, moment]) => `SELECT ${slotOf(`(${moment})`)}, '${what}' AS what, count(*)::DOUBLE AS count
      FROM shifted WHERE (${moment}) IS NOT NULL GROUP BY ALL`,
  );
  const sums = Object.keys(MOMENTS).map(
    (what) => `coalesce(sum(count) FILTER (what = '${what}'), 0) AS ${what}`,
  );
  return files.rows<SlotRow>(`
    WITH shifted AS (
      SELECT transactions.*, coalesce(clocks.offset_us, 0) AS offset_us
      FROM transactions LEFT JOIN clocks USING (edge_id)),
    counted AS (${counted.join(' UNION ALL ')}),
    late AS (
      SELECT ${slotOf('intended_us')}, quantile_cont(coalesce(feed_us, block_us) - intended_us, 0.99) AS p99_us
      FROM shifted WHERE coalesce(feed_us, block_us) IS NOT NULL GROUP BY ALL)
    SELECT slot, ${sums.join(', ')}, any_value(p99_us) AS p99_us
    FROM counted LEFT JOIN late USING (slot) GROUP BY slot ORDER BY slot`);
}

/** Number of transactions planned between two times: by the stages, and after a change by its rate. */
function askedBetween(
  { stages, rate_changes: changes = [] }: ReportedRun,
  fromUs: number,
  toUs: number,
): number {
  const firstUs = changes[0]?.at_us ?? Infinity;
  const byStages = stages.reduce((sum, stage) => sum + areaOf(stage, fromUs, Math.min(toUs, firstUs)), 0);
  const endUs = stages.at(-1)?.to_us ?? 0;
  return changes.reduce((sum, { at_us: atUs, rate }, index) => {
    const untilUs = Math.min(toUs, endUs, changes[index + 1]?.at_us ?? Infinity);
    const heldUs = Math.max(0, untilUs - Math.max(fromUs, atUs));
    return sum + (rate * heldUs) / US_PER_SECOND;
  }, byStages);
}

/** Number of transactions planned by a stage between two times. */
function areaOf(stage: RunStage, fromUs: number, toUs: number): number {
  const from = Math.max(fromUs, stage.from_us);
  const to = Math.min(toUs, stage.to_us);
  if (to <= from) return 0;
  const rateAt = (us: number): number => {
    const gone = (us - stage.from_us) / (stage.to_us - stage.from_us);
    return stage.start_rate + (stage.end_rate - stage.start_rate) * gone;
  };
  return (((rateAt(from) + rateAt(to)) / 2) * (to - from)) / US_PER_SECOND;
}
