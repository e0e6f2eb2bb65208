import { type Disk, DiskError } from '#disk';
import { DomainError } from '#foundation';
import type { TlsMaterial } from '#rpc';
import type { HiveSettings } from '../../settings.ts';

/** Undefined when no certificates are configured. Throws INVALID_CONFIG for a part of them. */
export async function readTlsFiles(
  disk: Disk,
  { tlsCa, tlsCert, tlsKey }: HiveSettings,
): Promise<TlsMaterial | undefined> {
  const paths = [tlsCa, tlsCert, tlsKey];
  if (paths.every((path) => path === '')) return undefined;
  if (paths.includes('')) {
    throw new DomainError('INVALID_CONFIG', 'expected all of --tls-ca, --tls-cert and --tls-key, or none');
  }
  const read = (path: string): Promise<Uint8Array> => readFile(disk, path);
  // One after another: of several that cannot be read, the first is named.
  return { ca: await read(tlsCa), cert: await read(tlsCert), key: await read(tlsKey) };
}

async function readFile(disk: Disk, path: string): Promise<Uint8Array> {
  try {
    return await disk.readBytes(path);
  } catch (cause) {
    if (!(cause instanceof DiskError)) throw cause;
    throw new DomainError('INVALID_CONFIG', `${path}: cannot be read: ${cause.code}`, { cause });
  }
}
