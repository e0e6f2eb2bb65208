/**
 * Writes to the standard error of the process without waiting for its reader.
 *
 *     file            used as it is: a write always completes
 *     pipe, terminal  reopened, so that the mode of processes that share it does not change
 *     socket          switched to non-blocking, because it cannot be reopened
 *
 * A pipe that may not be reopened (it belongs to another user) is treated like a socket.
 */
import { constants, fstatSync, openSync, type Stats, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { isatty } from 'node:tty';

const STDERR = 2;
const SAME_AGAIN = '/proc/self/fd/2';
const NON_BLOCKING = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

export class StandardError {
  readonly #descriptor: number;

  constructor() {
    const kind = fstatSync(STDERR);
    const isTerminal = isatty(STDERR);
    const again = kind.isFIFO() || isTerminal ? openAgain() : undefined;
    this.#descriptor = again ?? STDERR;
    if (again === undefined) makeNonBlocking(kind);
  }

  /**
   * Writes as much as the reader accepts now. Returns the number of bytes; 0 means that the reader is behind.
   * Throws the system's error when the output is closed.
   */
  write(bytes: Uint8Array): number {
    try {
      return writeSync(this.#descriptor, bytes);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return 0;
      throw error;
    }
  }
}

function openAgain(): number | undefined {
  try {
    return openSync(SAME_AGAIN, NON_BLOCKING);
  } catch {
    return undefined;
  }
}

/**
 * A socket object sets the mode as a side effect; nothing is written through it, and it lives as long as the
 * process.
 */
function makeNonBlocking(kind: Stats): void {
  if (!kind.isFIFO() && !kind.isSocket()) return;
  new Socket({ fd: STDERR, readable: false, writable: true }).unref();
}
