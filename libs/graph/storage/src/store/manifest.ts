/**
 * The list of the store's files. A text file of two lines, replaced as a whole:
 *
 *   1. "plexus-manifest", a space, the format version, a space, the CRC-32C of line 2 in 8 hex digits
 *   2. JSON: see {@link Manifest}
 *
 * Replacement: write MANIFEST.tmp, sync it, sync the directory, rename, sync the directory. The first sync of
 * the directory makes the names of new segments durable before the manifest lists them; files no longer
 * listed are removed after the second.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Disk, DiskError, isMissingFile } from '#platform/disk';
import { assert, DomainError } from '#platform/foundation';
import { crc32c } from '../encoding/crc32c.ts';
import { MANIFEST_DRAFT, MANIFEST_FILE } from './file-names.ts';
import { corruptStore, tooNewStore } from './store-error.ts';

/** Programs of format 1 would misread records with labels or kinds of values. */
export const MANIFEST_FORMAT = 2;
const WORD = 'plexus-manifest';

export interface SegmentEntry {
  readonly name: string;
  readonly bytes: number;
  readonly records: number;
  readonly min_seq: number;
  readonly max_seq: number;
}

export interface Manifest {
  /** Oldest first; their ranges of sequence numbers do not overlap. */
  readonly segments: readonly SegmentEntry[];
  /** Log files with a smaller number are obsolete. */
  readonly first_wal: number;
  /** The newest log file, which must exist. Absent in manifests of older releases. */
  readonly last_wal?: number;
  /** All batches up to this one are in segments. */
  readonly flushed_seq: number;
  readonly image: { readonly name: string; readonly seq: number } | null;
  /** The latest purged tombstone: an older image lacks that delete, and is not used. */
  readonly purged_seq: number;
  /** The number of the next segment or image. */
  readonly next_number: number;
  readonly compactions: number;
  /** A byte count of a log file that was durable at a clean stop. It stays true after later writes. */
  readonly stopped?: { readonly wal: number; readonly bytes: number } | undefined;
  /**
   * Identifies the history of the sequence numbers: it changes in a copy, and after a repair that discarded
   * batches. Absent after a repair and in manifests of older releases; the next open assigns one.
   */
  readonly epoch?: string | undefined;
}

const EPOCH_BYTES = 10;

/** Returns a new epoch of letters and digits. */
export function newEpoch(): string {
  return randomBytes(EPOCH_BYTES).toString('hex');
}

export const EMPTY_MANIFEST: Manifest = {
  segments: [],
  first_wal: 1,
  flushed_seq: 0,
  image: null,
  purged_seq: 0,
  next_number: 1,
  compactions: 0,
};

export function encodeManifest(manifest: Manifest): Uint8Array {
  const body = new TextEncoder().encode(JSON.stringify(manifest));
  return new TextEncoder().encode(
    `${WORD} ${MANIFEST_FORMAT} ${hex(crc32c(body))}\n${new TextDecoder().decode(body)}\n`,
  );
}

export function decodeManifest(bytes: Uint8Array): Manifest {
  const [head = '', body = ''] = new TextDecoder().decode(bytes).split('\n');
  const [word, format = '', checksum] = head.split(' ');
  if (word !== WORD || !/^[1-9]\d*$/.test(format)) throw corruptStore(MANIFEST_FILE, 0, 'broken manifest');
  if (Number(format) > MANIFEST_FORMAT) throw tooNewStore(MANIFEST_FILE, Number(format), MANIFEST_FORMAT);
  if (checksum !== hex(crc32c(new TextEncoder().encode(body)))) {
    throw corruptStore(MANIFEST_FILE, head.length + 1, 'broken manifest');
  }
  return JSON.parse(body) as Manifest;
}

/**
 * Makes a store of an earlier format one of this: before anything is written into it that a program of that
 * format would misread.
 */
export async function renewManifest(disk: Disk, directory: string, manifest: Manifest): Promise<void> {
  const bytes = await disk.readBytes(join(directory, MANIFEST_FILE));
  const isCurrent = new TextDecoder().decode(bytes).startsWith(`${WORD} ${MANIFEST_FORMAT} `);
  if (!isCurrent) await writeManifest(disk, directory, manifest);
}

/** Undefined if there is no manifest. */
export async function readManifest(disk: Disk, directory: string): Promise<Manifest | undefined> {
  try {
    return decodeManifest(await disk.readBytes(join(directory, MANIFEST_FILE)));
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}

/**
 * The epoch of a store that is not open. Undefined if it has none yet, and if its manifest is missing,
 * damaged or cannot be read: opening it tells why.
 */
export async function storedEpoch(disk: Disk, directory: string): Promise<string | undefined> {
  try {
    return (await readManifest(disk, directory))?.epoch;
  } catch (error) {
    if (error instanceof DomainError || error instanceof DiskError) return undefined;
    throw error;
  }
}

export async function writeManifest(disk: Disk, directory: string, manifest: Manifest): Promise<void> {
  const draft = join(directory, MANIFEST_DRAFT);
  await disk.remove(draft);
  await disk.writeNew(draft, encodeManifest(manifest));
  await disk.syncDirectory(directory);
  await disk.rename(draft, join(directory, MANIFEST_FILE));
  await disk.syncDirectory(directory);
}

function hex(checksum: number): string {
  return checksum.toString(16).padStart(8, '0');
}

/** The manifest on disk and in memory; changes are serialized. */
export class ManifestFile {
  readonly #disk: Disk;
  readonly #directory: string;
  #current: Manifest;
  #nextNumber: number;
  #last: Promise<void> = Promise.resolve();

  constructor(disk: Disk, directory: string, manifest: Manifest) {
    this.#disk = disk;
    this.#directory = directory;
    this.#current = manifest;
    this.#nextNumber = manifest.next_number;
  }

  /** The manifest on disk. */
  get current(): Manifest {
    return this.#current;
  }

  /** Returns an unused number for a new segment or image. */
  takeNumber(): number {
    return this.#nextNumber++;
  }

  /** The epoch, once the store is open. */
  get epoch(): string {
    const { epoch } = this.#current;
    assert(epoch !== undefined, 'expected an open store to have an epoch');
    return epoch;
  }

  /**
   * Records the new log file durably, so that its loss is detected. Assigns an epoch to a manifest of an
   * older release.
   */
  noteLog(number: number): Promise<void> {
    return this.change(
      (manifest) => ({ ...manifest, last_wal: number, epoch: manifest.epoch ?? newEpoch() }),
      () => undefined,
    );
  }

  /** Records durably how long the last log file is: a loss of its end is then no torn tail. */
  async noteStop(wal: number, bytes: number): Promise<void> {
    const { stopped } = this.#current;
    if (stopped?.wal === wal && stopped.bytes === bytes) return;
    await this.change(
      (manifest) => ({ ...manifest, stopped: { wal, bytes } }),
      () => undefined,
    );
  }

  /**
   * Replaces the manifest by the result of `change`. `onChanged` runs in the same turn in which `current`
   * changes, so that readers always find memory and disk consistent.
   */
  change(change: (manifest: Manifest) => Manifest, onChanged: () => void): Promise<void> {
    const changed = this.#last.then(async () => {
      const next = { ...change(this.#current), next_number: this.#nextNumber };
      await writeManifest(this.#disk, this.#directory, next);
      this.#current = next;
      onChanged();
    });
    this.#last = changed.catch(() => undefined);
    return changed;
  }
}
