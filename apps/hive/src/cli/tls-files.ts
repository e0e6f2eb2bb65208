import { readTlsMaterial, type TlsMaterial } from '#load/protocol';
import type { Disk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import type { HiveSettings } from '../settings.ts';

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
  return readTlsMaterial(disk, { ca: tlsCa, cert: tlsCert, key: tlsKey });
}
