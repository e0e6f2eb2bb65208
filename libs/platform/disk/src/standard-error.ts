/**
 * Standard error of the process, written to without waiting for whoever reads it.
 *
 *     file            as it is: the system takes what is written
 *     pipe, terminal  opened once more, so that those who share it keep their way of writing
 *     socket          made non-blocking as it is: it cannot be opened again
 *
 * Where a pipe may not be opened again (it belongs to another user), it is treated like a socket.
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
   * Writes as much as is taken now. Gives the number of bytes; 0 means that the reader has to catch up.
   * Throws the system's error when nothing can be written any more.
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

/** As a side effect of a socket that nothing is written through; it lasts as long as the process. */
function makeNonBlocking(kind: Stats): void {
  if (!kind.isFIFO() && !kind.isSocket()) return;
  new Socket({ fd: STDERR, readable: false, writable: true }).unref();
}
