/**
 * Background jobs of the store: functions of a disk, so that a worker thread and a test can both run them. A
 * job writes at most one new segment; only the store's thread changes the manifest, so a job can be killed at
 * any instruction.
 */
import { join } from 'node:path';
import type { Disk } from '#platform/disk';
import { Memtable, memtableSources } from '../memtable/memtable.ts';
import { mergeNewest } from '../segment/merge.ts';
import { checkSegment, type CheckPace, type SegmentCheck } from '../segment/segment-check.ts';
import { SegmentReader } from '../segment/segment-reader.ts';
import { SegmentWriter, type SegmentSummary } from '../segment/segment-writer.ts';
import type { RecordSource, VersionedRecord } from '../store/records.ts';
import { corruptStore } from '../store/store-error.ts';
import { batchesOf } from '../wal/frame.ts';
import { decodeWalHeader } from '../wal/wal-header.ts';
import { scanWal } from '../wal/wal-scan.ts';

/** Fast for a flush, which can delay writers; stronger for a merge, which delays none. */
const FLUSH_LEVEL = 1;
const MERGE_LEVEL = 3;
/** Minimum pause of a scrub. */
const REST_MS = 20;
const EVERYTHING = { prefix: new Uint8Array(0) };

/** Writes the records of complete log files into a segment. */
export interface FlushJob {
  readonly kind: 'flush';
  readonly directory: string;
  readonly walFiles: readonly string[];
  readonly output: string;
}

/** Merges neighbouring segments into one. */
export interface MergeJob {
  readonly kind: 'merge';
  readonly directory: string;
  readonly inputs: readonly string[];
  readonly output: string;
  /** Expired tombstones up to this seq are dropped; −1 unless the oldest segment is among the inputs. */
  readonly purgeUpToSeq: number;
  readonly nowMs: number;
}

/** Reads whole segments and reports damage. Writes nothing. */
export interface ScrubJob {
  readonly kind: 'scrub';
  readonly directory: string;
  readonly inputs: readonly string[];
  /** Maximum read rate; infinite in tests. */
  readonly bytesPerSecond: number;
}

export type Job = FlushJob | MergeJob | ScrubJob;

/** `summary` is undefined if no records remained; no file is written then. */
export interface JobResult {
  readonly summary: SegmentSummary | undefined;
  /** Sequence number of the latest dropped tombstone, or 0. */
  readonly purgedSeq: number;
  /** The results of a scrub, one for each segment. */
  readonly checks?: readonly SegmentCheck[];
}

export function runJob(disk: Disk, job: Job): Promise<JobResult> {
  if (job.kind === 'scrub') return scrub(disk, job);
  return job.kind === 'flush' ? flush(disk, job) : merge(disk, job);
}

async function scrub(disk: Disk, job: ScrubJob): Promise<JobResult> {
  const pace = paceOf(job.bytesPerSecond);
  const checks: SegmentCheck[] = [];
  for (const name of job.inputs)
    checks.push(await checkSegment({ disk, directory: job.directory }, name, pace));
  return { summary: undefined, purgedSeq: 0, checks };
}

/** Pauses whenever the read rate exceeds the limit. */
function paceOf(bytesPerSecond: number): CheckPace {
  const startMs = performance.now();
  let bytes = 0;
  return async (read) => {
    bytes += read;
    const aheadMs = startMs + (1000 * bytes) / bytesPerSecond - performance.now();
    if (aheadMs > REST_MS) await new Promise((resolve) => setTimeout(resolve, aheadMs));
  };
}

async function flush(disk: Disk, job: FlushJob): Promise<JobResult> {
  const memtable = new Memtable();
  for (const name of job.walFiles) await fill(memtable, disk, job.directory, name);
  await memtable.indexAll();
  const sources = await memtableSources(memtable, memtable.collect(EVERYTHING, 0));
  return writeSegment(
    disk,
    join(job.directory, job.output),
    FLUSH_LEVEL,
    mergeNewest(sources, () => true),
  );
}

async function fill(memtable: Memtable, disk: Disk, directory: string, name: string): Promise<void> {
  const bytes = await disk.readBytes(join(directory, name));
  const header = decodeWalHeader(bytes, name);
  if (header === undefined) throw corruptStore(name, 0, 'broken log header');
  const { frames, verdict, end } = scanWal(bytes, header);
  if (verdict !== 'clean') throw corruptStore(name, end, 'broken frame');
  for (const frame of frames) {
    for (const batch of batchesOf(bytes, frame)) memtable.add(bytes, batch.start, batch.end, batch.seq);
  }
}

async function merge(disk: Disk, job: MergeJob): Promise<JobResult> {
  let purgedSeq = 0;
  const keep = (record: VersionedRecord): boolean => {
    const isPurged = record.isDeleted && record.purgeAtMs <= job.nowMs && record.seq <= job.purgeUpToSeq;
    if (isPurged) purgedSeq = Math.max(purgedSeq, record.seq);
    return !isPurged;
  };
  const path = join(job.directory, job.output);
  const { summary } = await writeSegment(disk, path, MERGE_LEVEL, newestOf(disk, job, keep));
  return { summary, purgedSeq };
}

async function* newestOf(
  disk: Disk,
  { directory, inputs }: MergeJob,
  keep: (record: VersionedRecord) => boolean,
): AsyncGenerator<readonly VersionedRecord[], void, undefined> {
  const sources: RecordSource[] = [];
  try {
    for (const name of inputs) {
      const segment = await SegmentReader.open(disk, directory, name);
      sources.push(segment.source(EVERYTHING, 0));
      await segment.release();
    }
  } catch (error) {
    for (const source of sources) await source.close();
    throw error;
  }
  yield* mergeNewest(sources, keep);
}

async function writeSegment(
  disk: Disk,
  path: string,
  level: number,
  chunks: AsyncIterable<readonly VersionedRecord[]>,
): Promise<JobResult> {
  const writer = await SegmentWriter.create(disk, path, level);
  let summary: SegmentSummary;
  try {
    for await (const chunk of chunks) await writer.addAll(chunk);
    summary = await writer.finish();
  } finally {
    await writer.close();
  }
  if (summary.records > 0) return { summary, purgedSeq: 0 };
  await disk.remove(path);
  return { summary: undefined, purgedSeq: 0 };
}
