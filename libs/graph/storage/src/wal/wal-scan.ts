/**
 * Reads a log file and judges it.
 *
 * 1. Walk intact frames whose sequence numbers follow on, from the header to the first place without one.
 * 2. Only zeros from there on: *clean*.
 * 3. An intact frame somewhere after it: *corrupt*. A frame is begun only after the sync of the one before,
 *    so a crash damages nothing but the last.
 * 4. Otherwise *torn*: the one frame that was being written. Nobody was told that it is durable.
 */
import { setU32 } from '../encoding/integers.ts';
import { frameAt, type Frame } from './frame.ts';
import { WAL_HEADER_BYTES, type WalHeader } from './wal-header.ts';

const ZEROS = Buffer.alloc(64 * 1024);

export type FrameVerdict = 'clean' | 'torn' | 'corrupt';

export interface WalScan {
  readonly frames: readonly Frame[];
  /** Where the first byte after the intact frames stands. */
  readonly end: number;
  readonly verdict: FrameVerdict;
  /** What follows the last intact frame's last batch. */
  readonly nextSeq: number;
}

export function scanWal(bytes: Uint8Array, header: WalHeader): WalScan {
  const frames: Frame[] = [];
  let end = WAL_HEADER_BYTES;
  let nextSeq = header.firstSeq;
  for (;;) {
    const frame = frameAt(bytes, end, header.salt);
    if (frame?.firstSeq !== nextSeq) break;
    frames.push(frame);
    end += frame.bytes;
    nextSeq += frame.batches;
  }
  return { frames, end, verdict: verdictOn(bytes, end, header.salt), nextSeq };
}

function verdictOn(bytes: Uint8Array, end: number, salt: number): FrameVerdict {
  if (isZero(bytes, end)) return 'clean';
  return hasIntactFrame(bytes, end, salt) ? 'corrupt' : 'torn';
}

/** Whether only zeros follow; compared by the piece, for a prepared file holds 64 MiB of them. */
export function isZero(bytes: Uint8Array, from: number): boolean {
  for (let at = from; at < bytes.length; at += ZEROS.length) {
    const piece = bytes.subarray(at, at + ZEROS.length);
    if (!ZEROS.subarray(0, piece.length).equals(piece)) return false;
  }
  return true;
}

/** Whether a frame of this salt stands anywhere at or after `from`: one out of sequence counts. */
function hasIntactFrame(bytes: Uint8Array, from: number, salt: number): boolean {
  const needle = new Uint8Array(4);
  setU32(needle, 0, salt);
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = view.indexOf(needle, from); at !== -1; at = view.indexOf(needle, at + 1)) {
    if (frameAt(bytes, at, salt) !== undefined) return true;
  }
  return false;
}
