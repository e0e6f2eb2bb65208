import { basename, dirname, join } from 'node:path';
import { type Disk, type DiskFile, DirectoryLock, isMissingFile } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { eventOf, type AuditEvent, type AuditOutcome } from './audit-event.ts';
import { PROGRAM } from './actor.ts';
import { CHAIN_START, chained, type ChainPlace, headText, readHead, readLine } from './chain.ts';

/** A file of this size is renamed, and another one begun. */
export const FILE_BYTES_MAX = 64 * 2 ** 20;

export interface AuditFileOptions {
  readonly disk: Disk;
  readonly path: string;
  readonly fileBytesMax?: number | undefined;
}

/** The file beside a trail with the place of its last line. */
export function headPath(path: string): string {
  return `${path}.head`;
}

/** The files of a trail, oldest first; the last is the one in use. */
export async function trailFiles(disk: Disk, path: string): Promise<readonly string[]> {
  const directory = dirname(path);
  const name = basename(path);
  const names = await disk.list(directory);
  const earlier = names.filter((each) => each.startsWith(`${name}.`) && EARLIER.test(each));
  const numberOf = (each: string): number => Number(EARLIER.exec(each)?.[1]);
  const sorted = [...earlier].sort((a, b) => numberOf(a) - numberOf(b));
  return [...sorted, ...names.filter((each) => each === name)].map((each) => join(directory, each));
}

/** The day on which it was renamed, and the number of its first line. */
const EARLIER = /\.\d{4}-\d{2}-\d{2}\.(\d+)$/;

interface OpenFile {
  readonly file: DiskFile;
  readonly firstN: number;
  readonly day: string;
  size: number;
}

/**
 * The lines of a trail in files. A line is in its file before {@link append} returns, so that the end of this
 * process loses none; it is durable after {@link sync}.
 */
export class AuditFile {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #bytesMax: number;
  readonly #head: DiskFile;
  readonly #lock: DirectoryLock;
  #open: OpenFile;
  #place: ChainPlace;
  #rotation: Promise<void> | undefined;
  #isDirty = false;

  /**
   * Continues the trail of the path. A last line that a killed process left incomplete is cut. Throws
   * INVALID_CONFIG, STORE_LOCKED.
   */
  static async open({ disk, path, fileBytesMax = FILE_BYTES_MAX }: AuditFileOptions): Promise<AuditFile> {
    const lockDirectory = `${path}.lock`;
    try {
      await disk.makeDirectory(lockDirectory);
      const lock = await DirectoryLock.acquire(disk, lockDirectory);
      const { file, torn, last } = await tailOf(disk, path);
      const head = await openOrCreate(disk, headPath(path));
      const known = readHead(Buffer.from(await contentOf(head, 0)).toString('latin1'));
      const place = known !== undefined && known.n > last.n ? known : last;
      const size = await file.size();
      const open: OpenFile = { file, firstN: last.n + (size === 0 ? 1 : 0), day: today(), size };
      const trail = new AuditFile({ disk, path, bytesMax: fileBytesMax, head, lock, open, place });
      trail.#reportGaps(torn, place.n - last.n);
      return trail;
    } catch (cause) {
      if (cause instanceof DomainError) throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new DomainError('INVALID_CONFIG', `${path}: the audit file cannot be used: ${reason}`, { cause });
    }
  }

  private constructor(parts: {
    readonly disk: Disk;
    readonly path: string;
    readonly bytesMax: number;
    readonly head: DiskFile;
    readonly lock: DirectoryLock;
    readonly open: OpenFile;
    readonly place: ChainPlace;
  }) {
    this.#disk = parts.disk;
    this.#path = parts.path;
    this.#bytesMax = parts.bytesMax;
    this.#head = parts.head;
    this.#lock = parts.lock;
    this.#open = parts.open;
    this.#place = parts.place;
  }

  get place(): ChainPlace {
    return this.#place;
  }

  /** Throws DiskError; then the line is not there, and may be tried again. */
  append(event: AuditEvent): void {
    const { line, place } = chained(event, this.#place);
    const bytes = Buffer.from(line, 'utf8');
    const open = this.#open;
    open.file.writeNow(bytes, open.size);
    open.size += bytes.length;
    this.#place = place;
    this.#isDirty = true;
    this.#head.writeNow(Buffer.from(headText(place), 'latin1'), 0);
    if (open.size >= this.#bytesMax || today() !== open.day) this.#rotation ??= this.#rotate();
  }

  /** Makes the lines durable. */
  async sync(): Promise<void> {
    await this.#rotation;
    if (!this.#isDirty) return;
    this.#isDirty = false;
    await this.#open.file.sync();
    await this.#head.sync();
  }

  async close(): Promise<void> {
    await this.sync();
    await this.#open.file.close();
    await this.#head.close();
    await this.#lock.release();
  }

  /** Lines go on into the renamed file until the next one is there. A failed rotation is tried again. */
  async #rotate(): Promise<void> {
    const { file, firstN, day } = this.#open;
    const earlier = `${this.#path}.${day}.${String(firstN).padStart(12, '0')}`;
    try {
      await this.#disk.rename(this.#path, earlier);
      const next = await this.#disk.open(this.#path, 'create');
      this.#open = { file: next, firstN: this.#place.n + 1, day: today(), size: 0 };
      await file.sync();
      await file.close();
      await this.#disk.syncDirectory(dirname(this.#path));
    } finally {
      this.#rotation = undefined;
    }
  }

  /** What happened to the trail while nobody wrote it stays in the trail. */
  #reportGaps(tornBytes: number, lostEvents: number): void {
    const report = (outcome: AuditOutcome, counts: Record<string, number>): void =>
      this.append(eventOf({ ...PROGRAM, what: 'audit' }, Date.now(), { outcome, counts }));
    if (lostEvents > 0) report('lost', { events: lostEvents });
    if (tornBytes > 0) report('torn', { bytes: tornBytes });
  }
}

function today(): string {
  return new Date().toISOString().slice(0, 'YYYY-MM-DD'.length);
}

interface Tail {
  readonly file: DiskFile;
  /** Length of the incomplete line that was cut. */
  readonly torn: number;
  readonly last: ChainPlace;
}

/** More than the longest line. */
const TAIL_BYTES = 64 * 1024;

/** The file in use, cut after its last complete line, and the place of that. */
async function tailOf(disk: Disk, path: string): Promise<Tail> {
  await disk.makeDirectory(dirname(path));
  const file = await openOrCreate(disk, path);
  const size = await file.size();
  const text = Buffer.from(await contentOf(file, Math.max(0, size - TAIL_BYTES))).toString('utf8');
  const end = text.lastIndexOf('\n') + 1;
  const torn = Buffer.byteLength(text.slice(end));
  if (torn > 0) await file.truncate(size - torn);
  if (size > torn) return { file, torn, last: lastIn(text.slice(0, end), path) };
  const earlier = (await trailFiles(disk, path)).at(-2);
  const before = earlier === undefined ? '' : await disk.readLooseText(earlier);
  return { file, torn, last: before === '' ? CHAIN_START : lastIn(before, earlier ?? path) };
}

function lastIn(lines: string, path: string): ChainPlace {
  const last = readLine(lines.trimEnd().split('\n').at(-1) ?? '');
  if (last !== undefined) return { n: last.n, hash: last.hash };
  throw new DomainError('INVALID_CONFIG', `${path}: expected a line of an audit trail as the last one`);
}

async function openOrCreate(disk: Disk, path: string): Promise<DiskFile> {
  try {
    return await disk.open(path, 'write');
  } catch (error) {
    if (!isMissingFile(error)) throw error;
    return disk.open(path, 'create');
  }
}

async function contentOf(file: DiskFile, from: number): Promise<Uint8Array> {
  const bytes = new Uint8Array((await file.size()) - from);
  return bytes.subarray(0, await file.read(bytes, from));
}
