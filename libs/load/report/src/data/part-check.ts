import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readFooter } from '#load/telemetry';
import { type Disk, isMissingFile } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import type { RunPart } from './run-record.ts';

/**
 * Sees that every part that run.json lists is there, as long and with the footer that it had when the run
 * ended, and gives a fingerprint of them all, which is another when one was written to. Throws
 * REPORT_DATA_MISSING or REPORT_DATA_UNREADABLE with the name of the first that is not.
 */
export async function checkParts(disk: Disk, directory: string, parts: readonly RunPart[]): Promise<string> {
  const hash = createHash('sha256');
  for (const part of parts) {
    const { rows, bytes, footerCrc, modifiedMs } = await footerOf(disk, directory, part.name);
    if (rows !== part.rows || bytes !== part.bytes || footerCrc !== part.footer_crc) {
      throw changed(part, bytes);
    }
    hash.update(`${part.name}\0${rows}\0${bytes}\0${footerCrc}\0${modifiedMs}\0`);
  }
  return hash.digest('hex');
}

async function footerOf(disk: Disk, directory: string, name: string): ReturnType<typeof readFooter> {
  try {
    return await readFooter(disk, join(directory, name));
  } catch (error) {
    if (!isMissingFile(error)) throw error;
    const message = `expected ${name} among the files of the run, found none`;
    throw new DomainError('REPORT_DATA_MISSING', message, { cause: error, details: { file: name } });
  }
}

function changed({ name, bytes }: RunPart, found: number): DomainError {
  const message = `expected ${name} as it was when the run ended (${bytes} bytes), found another (${found} bytes)`;
  return new DomainError('REPORT_DATA_UNREADABLE', message, { details: { file: name } });
}
