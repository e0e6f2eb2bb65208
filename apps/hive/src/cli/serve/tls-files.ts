import type { Disk } from '#disk';
import { DomainError } from '#foundation';
import type { TlsMaterial } from '#rpc';
import type { HiveSettings } from '../../settings.ts';

/** Undefined when no certificates are configured. Throws INVALID_CONFIG when only some are. */
export async function readTlsFiles(
  disk: Disk,
  { tlsCa, tlsCert, tlsKey }: HiveSettings,
): Promise<TlsMaterial | undefined> {
  const paths = [tlsCa, tlsCert, tlsKey];
  if (paths.every((path) => path === '')) return undefined;
  if (paths.includes('')) {
    throw new DomainError('INVALID_CONFIG', 'expected all of --tls-ca, --tls-cert and --tls-key, or none');
  }
  const [ca, cert, key] = await Promise.all([tlsCa, tlsCert, tlsKey].map((path) => disk.readBytes(path)));
  const nothing = new Uint8Array(0);
  return { ca: ca ?? nothing, cert: cert ?? nothing, key: key ?? nothing };
}
