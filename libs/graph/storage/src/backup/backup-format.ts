/**
 * A backup as one stream of bytes (docs/formats/backup.md). Little-endian.
 *
 *   0   8   "PLEXBAK" and a zero
 *   8   4   format version
 *   12  4   CRC-32C over bytes 0–11
 *   16      frames: u32 length of the payload, u32 CRC-32C over kind and payload, u8 kind, payload
 *
 * Kinds: 1 start of a file (JSON `{name, bytes}`), 2 bytes of that file, 3 the end (JSON
 * `{files, bytes, seq}`). The manifest is the last file. A stream without the end frame, or with bytes after
 * it, is not a complete backup.
 */
import { crc32c } from '../encoding/crc32c.ts';
import { getU32, setU32 } from '../encoding/integers.ts';
import { corruptStore, tooNewStore } from '../store/store-error.ts';

export const BACKUP_FORMAT = 1;
/** Maximum size of a frame in bytes. */
export const BACKUP_FRAME_BYTES = 256 * 1024;

const MAGIC = new TextEncoder().encode('PLEXBAK\0');
const HEADER_BYTES = 16;
const FRAME_HEADER_BYTES = 9;
const NAME = 'the backup';

const KIND = { file: 1, data: 2, end: 3 } as const;

/** The content of a backup, from its end frame. */
export interface BackupSummary {
  readonly files: number;
  readonly bytes: number;
  /** Sequence number of the last batch in the backup. */
  readonly seq: number;
}

export type BackupItem =
  | { readonly kind: 'file'; readonly name: string; readonly bytes: number }
  | { readonly kind: 'data'; readonly bytes: Uint8Array }
  | ({ readonly kind: 'end' } & BackupSummary);

export function encodeBackupHeader(): Uint8Array {
  const header = new Uint8Array(HEADER_BYTES);
  header.set(MAGIC);
  setU32(header, 8, BACKUP_FORMAT);
  setU32(header, 12, crc32c(header.subarray(0, 12)));
  return header;
}

export function encodeBackupItem(item: BackupItem): Uint8Array {
  const { kind, ...facts } = item;
  const payload = item.kind === 'data' ? item.bytes : new TextEncoder().encode(JSON.stringify(facts));
  const frame = new Uint8Array(FRAME_HEADER_BYTES + payload.length);
  setU32(frame, 0, payload.length);
  frame[8] = KIND[kind];
  frame.set(payload, FRAME_HEADER_BYTES);
  setU32(frame, 4, crc32c(frame.subarray(8)));
  return frame;
}

/** Reads the items of a backup from pieces of any size. Every error is STORE_CORRUPT with the offset. */
export class BackupParser {
  #rest: Uint8Array = new Uint8Array(0);
  #offset = 0;
  #hasHeader = false;
  #hasEnd = false;

  /** Returns the items that this piece completes; their bytes are views. */
  *push(piece: Uint8Array): Generator<BackupItem> {
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    if (!this.#hasHeader && !this.#readHeader()) return;
    for (let item = this.#item(); item !== undefined; item = this.#item()) yield item;
    this.#rest = this.#rest.slice();
  }

  /** Throws if the backup is incomplete. */
  finish(): void {
    if (!this.#hasEnd) throw corruptStore(NAME, this.#offset, 'it is cut short');
  }

  #readHeader(): boolean {
    if (this.#rest.length < HEADER_BYTES) return false;
    const header = this.#rest.subarray(0, HEADER_BYTES);
    const isIntact = crc32c(header.subarray(0, 12)) === getU32(header, 12);
    if (!isIntact || MAGIC.some((byte, at) => header[at] !== byte)) {
      throw corruptStore(NAME, 0, 'it does not begin as a backup does');
    }
    if (getU32(header, 8) > BACKUP_FORMAT) throw tooNewStore(NAME, getU32(header, 8), BACKUP_FORMAT);
    this.#take(HEADER_BYTES);
    this.#hasHeader = true;
    return true;
  }

  #item(): BackupItem | undefined {
    if (this.#rest.length === 0) return undefined;
    if (this.#hasEnd) throw corruptStore(NAME, this.#offset, 'bytes after its end');
    if (this.#rest.length < FRAME_HEADER_BYTES) return undefined;
    const length = getU32(this.#rest, 0);
    if (length > BACKUP_FRAME_BYTES) throw corruptStore(NAME, this.#offset, 'a broken frame');
    const end = FRAME_HEADER_BYTES + length;
    if (this.#rest.length < end) return undefined;
    if (crc32c(this.#rest.subarray(8, end)) !== getU32(this.#rest, 4)) {
      throw corruptStore(NAME, this.#offset, 'a broken frame');
    }
    const kind = this.#rest[8];
    const payload = this.#rest.subarray(FRAME_HEADER_BYTES, end);
    const item = itemOf(kind, payload, this.#offset);
    this.#hasEnd = item.kind === 'end';
    this.#take(end);
    return item;
  }

  #take(bytes: number): void {
    this.#rest = this.#rest.subarray(bytes);
    this.#offset += bytes;
  }
}

/** The checksum is valid, so malformed content comes from another program. */
function itemOf(kind: number | undefined, payload: Uint8Array, offset: number): BackupItem {
  if (kind === KIND.data) return { kind: 'data', bytes: payload };
  if (kind === KIND.file) return { kind: 'file', ...(parse(payload) as { name: string; bytes: number }) };
  if (kind === KIND.end) return { kind: 'end', ...(parse(payload) as BackupSummary) };
  throw corruptStore(NAME, offset, 'a frame of no known kind');
}

function parse(payload: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(payload));
}
