import { type Disk, DiskError } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import type { TlsMaterial } from './tls-material.ts';

/** Where the parts of {@link TlsMaterial} lie. */
export type TlsPaths = Readonly<Record<keyof TlsMaterial, string>>;

/** Reads the files, one after another: of several that cannot be read, the first is named. INVALID_CONFIG. */
export async function readTlsMaterial(disk: Disk, { ca, cert, key }: TlsPaths): Promise<TlsMaterial> {
  const read = async (path: string): Promise<Uint8Array> => {
    try {
      return await disk.readBytes(path);
    } catch (cause) {
      if (!(cause instanceof DiskError)) throw cause;
      throw new DomainError('INVALID_CONFIG', `${path}: cannot be read: ${cause.code}`, { cause });
    }
  };
  return { ca: await read(ca), cert: await read(cert), key: await read(key) };
}
