import { createGunzip, gunzip } from 'node:zlib';
import type { IncomingHttpHeaders } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import { DomainError, errorCodeOf } from '#platform/foundation';

const unzip = promisify(gunzip);

/** Whether a body is gzipped. Throws UNSUPPORTED_MEDIA_TYPE for any other coding. */
export function isGzipped(headers: IncomingHttpHeaders): boolean {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (coding === 'identity' || coding === '') return false;
  if (coding === 'gzip' || coding === 'x-gzip') return true;
  throw new DomainError('UNSUPPORTED_MEDIA_TYPE', 'Content-Encoding: expected gzip or identity');
}

/**
 * Decompresses a whole body; BODY_TOO_LARGE when it exceeds `bytesMax`, INVALID_REQUEST when it is damaged.
 */
export async function unpackWhole(body: Buffer, bytesMax: number): Promise<Buffer> {
  try {
    return await unzip(body, { maxOutputLength: bytesMax });
  } catch (error) {
    if (errorCodeOf(error) === 'ERR_BUFFER_TOO_LARGE') {
      throw new DomainError('BODY_TOO_LARGE', 'the unpacked body is larger than the limit');
    }
    throw damaged(error);
  }
}

/** Decompresses a body as it is read: never more than the reader requests. */
export function unpackStream(body: Readable): Readable {
  const unpacked = createGunzip();
  // The reader of `unpacked` receives the error; the callback only prevents an unhandled one.
  pipeline(body, unpacked, () => undefined);
  return unpacked;
}

function damaged(cause: unknown): DomainError {
  return new DomainError('INVALID_REQUEST', 'body: the gzip stream is damaged or cut short', { cause });
}
