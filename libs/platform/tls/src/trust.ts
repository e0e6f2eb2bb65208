import { X509Certificate } from 'node:crypto';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type Disk, DiskError } from '#platform/disk';
import { DomainError } from '#platform/foundation';

/**
 * Trusts an authority beside those of the system in all further connections of this process: that of the
 * server that a command calls. An empty path changes nothing. Throws INVALID_CONFIG.
 */
export async function trustAuthority(disk: Disk, path: string): Promise<void> {
  if (path === '') return;
  setDefaultCACertificates([...getCACertificates('default'), await readAuthority(disk, path)]);
}

async function readAuthority(disk: Disk, path: string): Promise<string> {
  try {
    const pem = await disk.readText(path);
    new X509Certificate(pem);
    return pem;
  } catch (cause) {
    if (cause instanceof DomainError) throw cause;
    const reason =
      cause instanceof DiskError ? `cannot be read: ${cause.code}` : 'expected a certificate in PEM';
    throw new DomainError('INVALID_CONFIG', `${path}: ${reason}`, { cause });
  }
}
