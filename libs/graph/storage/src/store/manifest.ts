/**
 * What the store consists of. A text file of two lines, replaced as a whole:
 *
 *   1. "plexus-manifest", a space, the format version, a space, the CRC-32C of line 2 in 8 hex digits
 *   2. JSON: see {@link Manifest}
 *
 * Replacing it: write MANIFEST.tmp, sync it, sync the directory, rename, sync the directory. The first sync
 * of the directory makes the names of new segments durable before the manifest names them; what it ceases
 * to name is removed after the second.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Disk, isMissingFile } from '#platform/disk';
import { assert } from '#platform/foundation';
import { crc32c } from '../encoding/crc32c.ts';
import { MANIFEST_DRAFT, MANIFEST_FILE } from './file-names.ts';
import { corruptStore, tooNewStore } from './store-error.ts';

export const MANIFEST_FORMAT = 1;
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
  /** The log file that was made last: it must be there. Absent where an older release wrote the manifest. */
  readonly last_wal?: number;
  /** All batches up to this one are in segments. */
  readonly flushed_seq: number;
  readonly image: { readonly name: string; readonly seq: number } | null;
  /** The latest tombstone that was purged: an older image does not know of its delete, and is not used. */
  readonly purged_seq: number;
  /** The next segment or image has this number. */
  readonly next_number: number;
  readonly compactions: number;
  /**
   * Identifies the history that sequence numbers count: another in a copy, and after batches were given up.
   * Absent where an older release or a repair wrote the manifest; the next open gives one.
   */
  readonly epoch?: string | undefined;
}

const EPOCH_BYTES = 10;

/** Letters and digits, never given before. */
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

/** Undefined when there is none. */
export async function readManifest(disk: Disk, directory: string): Promise<Manifest | undefined> {
  try {
    return decodeManifest(await disk.readBytes(join(directory, MANIFEST_FILE)));
  } catch (error) {
    if (isMissingFile(error)) return undefined;
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

/** The manifest on disk and in memory; changes are made one after the other. */
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

  /** As it stands on disk. */
  get current(): Manifest {
    return this.#current;
  }

  /** A number for a new segment or image, never given before. */
  takeNumber(): number {
    return this.#nextNumber++;
  }

  /** Of the history, once the store is open. */
  get epoch(): string {
    const { epoch } = this.#current;
    assert(epoch !== undefined, 'expected an open store to have an epoch');
    return epoch;
  }

  /**
   * Makes it durable that the log goes on in this file: one that is missing later is missed. An older
   * manifest is given an epoch.
   */
  noteLog(number: number): Promise<void> {
    return this.change(
      (manifest) => ({ ...manifest, last_wal: number, epoch: manifest.epoch ?? newEpoch() }),
      () => undefined,
    );
  }

  /**
   * Replaces the manifest by what `change` makes of it. `onChanged` runs in the same turn in which `current`
   * changes, so that memory and disk agree for whoever looks.
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
