import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { type Disk, DiskError } from '#platform/disk';
import { DomainError } from '#platform/foundation';

/** PEM texts: who we are, and by whom others must be vouched for. */
export interface TlsMaterial {
  /** Of the authority that signs the other side's certificate. */
  readonly ca: Uint8Array;
  readonly cert: Uint8Array;
  readonly key: Uint8Array;
}

/** What a server shows; with an authority, its clients must show a certificate too. */
export interface ServerTls extends Omit<TlsMaterial, 'ca'> {
  readonly ca?: Uint8Array | undefined;
}

/** As TLS of Node's own takes it. */
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
 * Throws CERTIFICATE_INVALID when the material cannot be read, its key is another's, or its certificate is
 * expired or not valid yet. Call it before it is used: a handshake says less.
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

/** From when and until when a certificate holds, as X.509 writes it. */
interface Validity {
  readonly validFrom: string;
  readonly validTo: string;
}

/** Undefined while it holds. */
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

/** Where the parts of {@link TlsMaterial} lie. */
type TlsPaths = Readonly<Record<keyof TlsMaterial, string>>;

/** Reads the files, one after another: of several that cannot be read, the first is named. INVALID_CONFIG. */
export async function readTlsMaterial(disk: Disk, { ca, cert, key }: TlsPaths): Promise<TlsMaterial> {
  return {
    ca: await readPem(disk, ca),
    cert: await readPem(disk, cert),
    key: await readPem(disk, key),
  };
}

/** The same of a server, whose `ca` may be empty. */
export async function readServerTls(disk: Disk, { ca, cert, key }: TlsPaths): Promise<ServerTls> {
  return {
    ca: ca === '' ? undefined : await readPem(disk, ca),
    cert: await readPem(disk, cert),
    key: await readPem(disk, key),
  };
}

async function readPem(disk: Disk, path: string): Promise<Uint8Array> {
  try {
    return await disk.readBytes(path);
  } catch (cause) {
    if (!(cause instanceof DiskError)) throw cause;
    throw new DomainError('INVALID_CONFIG', `${path}: cannot be read: ${cause.code}`, { cause });
  }
}
