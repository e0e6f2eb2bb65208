/**
 * Reads a log file and classifies it.
 *
 * 1. Walk intact frames with consecutive sequence numbers, from the header to the first position without one.
 * 2. Only zeros after that position: *clean*.
 * 3. An intact frame anywhere after it: *corrupt*. A frame is begun only after the sync of the previous one,
 * so a
 *    crash damages only the last.
 * 4. Otherwise *torn*: one frame was being written, and was never reported as durable.
 */
import { setU32 } from '../encoding/integers.ts';
import { frameAt, type Frame } from './frame.ts';
import { WAL_HEADER_BYTES, type WalHeader } from './wal-header.ts';

const ZEROS = Buffer.alloc(64 * 1024);

export type FrameVerdict = 'clean' | 'torn' | 'corrupt';

export interface WalScan {
  readonly frames: readonly Frame[];
  /** Offset of the first byte after the intact frames. */
  readonly end: number;
  readonly verdict: FrameVerdict;
  /** The sequence number after the last batch of the last intact frame. */
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

/** Whether only zeros follow; compared in pieces, since a prepared file has up to 64 MiB of them. */
export function isZero(bytes: Uint8Array, from: number): boolean {
  for (let at = from; at < bytes.length; at += ZEROS.length) {
    const piece = bytes.subarray(at, at + ZEROS.length);
    if (!ZEROS.subarray(0, piece.length).equals(piece)) return false;
  }
  return true;
}

/** Whether a frame with this salt exists anywhere at or after `from`, even one out of sequence. */
function hasIntactFrame(bytes: Uint8Array, from: number, salt: number): boolean {
  const needle = new Uint8Array(4);
  setU32(needle, 0, salt);
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = view.indexOf(needle, from); at !== -1; at = view.indexOf(needle, at + 1)) {
    if (frameAt(bytes, at, salt) !== undefined) return true;
  }
  return false;
}
