/**
 * Reads a whole segment and reports damage, before another read meets it. Verifies checksums only: no block
 * is decompressed.
 */
import { DiskError, type Disk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { damageOf, reasonOf } from '../store/store-error.ts';
import { SegmentReader } from './segment-reader.ts';

/** The damage of a segment. */
export interface SegmentDamage {
  readonly file: string;
  /** Offset of the first damaged block, or of a damaged footer or index. */
  readonly offset: number;
  /** A complete message with file and offset. */
  readonly reason: string;
  /** Number of damaged blocks; 1 for a damaged footer, index or whole file. */
  readonly blocks: number;
}

export interface SegmentCheck {
  /** Number of bytes of the blocks read. */
  readonly bytes: number;
  readonly damage: SegmentDamage | undefined;
}

/** Called after each read; resolves when the next one may start. */
export type CheckPace = (bytes: number) => Promise<void>;

export async function checkSegment(
  place: { readonly disk: Disk; readonly directory: string },
  file: string,
  pace: CheckPace,
): Promise<SegmentCheck> {
  try {
    const segment = await SegmentReader.open(place.disk, place.directory, file);
    try {
      return await checkBlocks(segment, pace);
    } finally {
      await segment.release();
    }
  } catch (error) {
    if (!(error instanceof DiskError || error instanceof DomainError)) throw error;
    const offset = damageOf(error)?.offset ?? 0;
    return { bytes: 0, damage: { file, offset, reason: sentenceOf(error, file, offset), blocks: 1 } };
  }
}

async function checkBlocks(segment: SegmentReader, pace: CheckPace): Promise<SegmentCheck> {
  const { index, footer, name: file } = segment;
  let bytes = 0;
  let damage: SegmentDamage | undefined;
  for (let block = 0; block < footer.blocks; block++) {
    const offset = index.startOf(block);
    const end = index.endOf(block);
    const reason = await faultOf(segment, offset, end);
    if (reason !== undefined) damage = { file, offset, reason, ...damage, blocks: (damage?.blocks ?? 0) + 1 };
    bytes += end - offset;
    await pace(end - offset);
  }
  return { bytes, damage };
}

/** A read error of the disk counts as damage. */
async function faultOf(segment: SegmentReader, start: number, end: number): Promise<string | undefined> {
  try {
    segment.check(await segment.read(start, end), start);
    return undefined;
  } catch (error) {
    if (!(error instanceof DiskError || error instanceof DomainError)) throw error;
    return sentenceOf(error, segment.name, start);
  }
}

function sentenceOf(error: Error, file: string, offset: number): string {
  return error instanceof DiskError ? `${reasonOf(error)} in ${file} at offset ${offset}` : reasonOf(error);
}
