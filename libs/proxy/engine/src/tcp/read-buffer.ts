/**
 * Reading without a buffer for each read. Hot path: what sockets read, one after the other, goes through one
 * piece of memory, and leaves it as a copy of its own size. (A socket of its own reads into 64 KiB and cuts
 * off what it did not need: for small parts, that costs more than all else.)
 */
import type { OnReadOpts } from 'node:net';

const READ_BYTES = 65_536;
const BUFFER = Buffer.allocUnsafeSlow(READ_BYTES);

/** For a plain socket. `take` gives false to be asked no more until the socket is resumed. */
export function readThrough(take: (chunk: Buffer) => boolean): OnReadOpts {
  return {
    buffer: BUFFER,
    callback: (length) => {
      const chunk = Buffer.allocUnsafe(length);
      BUFFER.copy(chunk, 0, 0, length);
      return take(chunk);
    },
  };
}
