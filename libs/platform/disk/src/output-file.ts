import { accessSync, constants, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DiskError } from './disk-error.ts';

const FILE_MODE = 0o600;

/**
 * The file for the result of a command: replaced, if it exists. A device, a pipe or a link is written to, and
 * stays: removing `/dev/stdout` or `/dev/null` first would break the machine (ADR 0605).
 */
export class OutputFile {
  readonly #path: string;

  /** Call it before the work: throws DiskError if the result could not be written. Creates nothing. */
  constructor(path: string) {
    this.#path = path;
    const known = statSync(path, { throwIfNoEntry: false });
    if (known?.isDirectory() === true) throw new DiskError('EISDIR', 'open', path);
    try {
      accessSync(known === undefined ? dirname(path) : path, constants.W_OK);
    } catch (error) {
      throw this.#fault(error);
    }
  }

  /** Throws DiskError. */
  async write(text: string): Promise<void> {
    await writeFile(this.#path, text, { mode: FILE_MODE }).catch((error: unknown) => {
      throw this.#fault(error);
    });
  }

  #fault(cause: unknown): DiskError {
    const isCoded = typeof cause === 'object' && cause !== null && 'code' in cause;
    return new DiskError(isCoded ? String(cause.code) : 'EUNKNOWN', 'open', this.#path, cause);
  }
}
