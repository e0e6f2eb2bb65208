import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { type Disk, DiskError } from '#platform/disk';
import { DomainError } from '#platform/foundation';

/** PEM texts: the own certificate and key, and the authority of the peers. */
export interface TlsMaterial {
  /** The authority that signs the peers' certificates. */
  readonly ca: Uint8Array;
  readonly cert: Uint8Array;
  readonly key: Uint8Array;
}

/** A listener that can take another certificate: new connections have it, open ones stay. */
export interface FollowingServer {
  setSecureContext(options: SecureContextOptions): void;
  once(event: 'close', listener: () => void): unknown;
}

/** The server's certificate; with an authority, clients must present a certificate too. */
export interface ServerTls extends Omit<TlsMaterial, 'ca'> {
  readonly ca?: Uint8Array | undefined;
  /** Gives a listener each new certificate. */
  follow?(server: FollowingServer): void;
}

/** Key and certificates in the form that Node's TLS accepts. */
interface TlsBuffers {
  readonly ca?: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

export function tlsBuffers({ ca, cert, key }: ServerTls): TlsBuffers {
  const own = { cert: Buffer.from(cert), key: Buffer.from(key) };
  return ca === undefined ? own : { ...own, ca: Buffer.from(ca) };
}

/**
 * Throws CERTIFICATE_INVALID when the material cannot be read, the key does not match, or the certificate is
 * expired or not yet valid. Call it before use: a failed handshake reports less.
 */
export function assertUsable(material: ServerTls, nowMs: number): void {
  const certificate = parsed(material.cert, 'certificate');
  if (material.ca !== undefined) parsed(material.ca, 'authority certificate');
  try {
    createSecureContext(tlsBuffers(material));
  } catch (cause) {
    throw new DomainError('CERTIFICATE_INVALID', 'expected the private key of the certificate', { cause });
  }
  const fault = validityFault({ validFrom: certificate.validFrom, validTo: certificate.validTo }, nowMs);
  if (fault !== undefined) throw new DomainError('CERTIFICATE_INVALID', `own certificate: ${fault}`);
}

/** The validity period of a certificate, in the format of X.509. */
interface Validity {
  readonly validFrom: string;
  readonly validTo: string;
}

/** Undefined while the certificate is valid. */
export function validityFault({ validFrom, validTo }: Validity, nowMs: number): string | undefined {
  if (!(nowMs >= Date.parse(validFrom))) return `it is not valid before ${validFrom}`;
  if (!(nowMs < Date.parse(validTo))) return `it expired at ${validTo}`;
  return undefined;
}

function parsed(pem: Uint8Array, what: string): X509Certificate {
  try {
    return new X509Certificate(Buffer.from(pem));
  } catch (cause) {
    throw new DomainError('CERTIFICATE_INVALID', `expected a ${what} in PEM`, { cause });
  }
}

/** Paths of the parts of {@link TlsMaterial}. */
export type TlsPaths = Readonly<Record<keyof TlsMaterial, string>>;

/** Reads the files one after another; INVALID_CONFIG names the first that is unreadable or invalid. */
export async function readTlsMaterial(disk: Disk, paths: TlsPaths): Promise<TlsMaterial> {
  return { ca: await readCertificate(disk, paths.ca), ...(await readPair(disk, paths)) };
}

/** Like `readTlsMaterial`, for a server, whose `ca` may be empty. */
export async function readServerTls(disk: Disk, paths: TlsPaths): Promise<ServerTls> {
  const ca = paths.ca === '' ? undefined : await readCertificate(disk, paths.ca);
  return { ca, ...(await readPair(disk, paths)) };
}

async function readPair(disk: Disk, paths: TlsPaths): Promise<Omit<TlsMaterial, 'ca'>> {
  const cert = await readCertificate(disk, paths.cert);
  const key = await readPem(disk, paths.key);
  const expected = `the private key, in PEM and without a passphrase, of the certificate in ${paths.cert}`;
  requireUsable(`${paths.key}: expected ${expected}`, () => createSecureContext(tlsBuffers({ cert, key })));
  return { cert, key };
}

async function readCertificate(disk: Disk, path: string): Promise<Uint8Array> {
  const pem = await readPem(disk, path);
  requireUsable(`${path}: expected a certificate in PEM`, () => new X509Certificate(Buffer.from(pem)));
  return pem;
}

function requireUsable(fault: string, use: () => unknown): void {
  try {
    use();
  } catch (cause) {
    throw new DomainError('INVALID_CONFIG', fault, { cause });
  }
}

/** Not of a pipe: a certificate is read again when it is renewed. */
async function readPem(disk: Disk, path: string): Promise<Uint8Array> {
  if (await disk.isStream(path))
    throw new DomainError('INVALID_CONFIG', `${path}: expected a file, got a pipe or a device`);
  try {
    return await disk.readBytes(path);
  } catch (cause) {
    if (!(cause instanceof DiskError)) throw cause;
    throw new DomainError('INVALID_CONFIG', `${path}: cannot be read: ${cause.code}`, { cause });
  }
}

/** The same certificate for clients that need none of their own. */
export function withoutAuthority(tls: ServerTls): ServerTls {
  return { cert: tls.cert, key: tls.key, follow: (server) => tls.follow?.(server) };
}
