/**
 * Recovers the directory of a run after a stop or crash of the process or the machine.
 *
 * 1. A part without its final name is removed: the journal of its generation exists.
 * 2. For each journal, oldest first, all parts of its generation are removed, complete or not, and rebuilt
 *    from the journal. A journal exists until all of its parts are durable, so recovery loses and duplicates
 *    nothing, however often it is interrupted. A journal that reappears after a power loss yields the same
 *    parts again.
 * 3. The marks and the batches of the last journal determine which batches have been accepted.
 * 4. Parts without a journal are a sealed run. An empty directory is a new run.
 */
import { join } from 'node:path';
import type { Disk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { journalName, parseJournalName, parsePartName } from '../file-names.ts';
import { BatchMarks } from '../journal/batch-marks.ts';
import { batchesOf, type JournalScan, scanJournal } from '../journal/journal-scan.ts';
import { type BatchHook, readParts } from '../reader/read-parts.ts';
import { decodeTables } from '../wire/decode-tables.ts';
import { completeParts, PartGeneration, type PartPlace } from './generation.ts';

export interface RecoveryOptions extends PartPlace {
  readonly onBatch: BatchHook | undefined;
}

export interface RecoveredRun {
  readonly marks: BatchMarks;
  /** The next free generation number. */
  readonly nextNumber: number;
  /** Journals to remove once the next journal exists. */
  readonly journals: readonly string[];
  readonly isSealed: boolean;
  readonly batches: number;
  readonly tornBytes: number;
}

export async function recoverRun(options: RecoveryOptions): Promise<RecoveredRun> {
  const { disk, directory, onBatch } = options;
  await removeOpenParts(disk, directory);
  const scans = await readJournals(disk, directory);
  const numbers = new Set(scans.map(({ number }) => number));
  const complete = (await completeParts(disk, directory)).filter(({ number }) => !numbers.has(number));
  if (onBatch !== undefined) {
    await readParts(
      options,
      complete.map(({ name }) => name),
      onBatch,
    );
  }
  const marks = new BatchMarks();
  let batches = 0;
  for (const scan of scans) batches += await rebuild(options, scan, marks);
  const known = [0, ...numbers, ...complete.map(({ number }) => number)];
  return {
    marks,
    batches,
    nextNumber: Math.max(...known) + 1,
    journals: scans.map(({ number }) => journalName(number)),
    isSealed: scans.length === 0 && complete.length > 0,
    tornBytes: scans.reduce((sum, { tornBytes }) => sum + tornBytes, 0),
  };
}

async function removeOpenParts(disk: Disk, directory: string): Promise<void> {
  for (const name of await disk.list(directory)) {
    if (parsePartName(name)?.isComplete === false) await disk.remove(join(directory, name));
  }
}

async function readJournals(disk: Disk, directory: string): Promise<readonly JournalScan[]> {
  const numbers = (await disk.list(directory)).map(parseJournalName).filter((number) => number !== undefined);
  const scans: JournalScan[] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const name = journalName(number);
    const scan = scanJournal(await disk.readBytes(join(directory, name)), name);
    if (scan !== undefined) scans.push(scan);
    else if (number === Math.max(...numbers)) await disk.remove(join(directory, name));
    else throw new DomainError('STORE_CORRUPT', `expected an intact header of ${name}`);
  }
  return scans;
}

/** Rebuilds the parts of a journal's generation. Returns the number of batches. */
async function rebuild(options: RecoveryOptions, scan: JournalScan, marks: BatchMarks): Promise<number> {
  const { disk, directory, onBatch } = options;
  for (const { name, number } of await completeParts(disk, directory)) {
    if (number === scan.number) await disk.remove(join(directory, name));
  }
  for (const { edge, seq } of scan.marks) marks.restore(edge, seq);
  const generation = new PartGeneration(options, scan.number);
  let batches = 0;
  try {
    for (const { edge, seq, tables } of batchesOf(scan)) {
      const decoded = decodeTables(tables);
      onBatch?.(edge, decoded);
      await generation.append(edge, decoded);
      marks.restore(edge, seq);
      batches++;
    }
    await generation.finish();
  } catch (error) {
    await generation.abandon();
    throw error;
  }
  return batches;
}
