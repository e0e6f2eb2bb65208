import { X509Certificate } from 'node:crypto';
import type { SecureContextOptions, TlsOptions } from 'node:tls';
import type { Disk } from '#platform/disk';
import { DomainError, type Resources } from '#platform/foundation';
import type { Log } from '#platform/observability';
import {
  type FollowingServer,
  readServerTls,
  type ServerTls,
  tlsBuffers,
  type TlsPaths,
  validityFault,
} from './tls-material.ts';

const LOOK_MS = 5_000;
const DAY_MS = 86_400_000;
/** From so long before its end a certificate is warned of, once a day. */
const SOON_MS = 30 * DAY_MS;
const HANDSHAKE_MS = 10_000;

/** The options of a listener with this certificate: TLS 1.2 and 1.3. */
export function tlsOptions(material: ServerTls): TlsOptions {
  const isMutual = material.ca !== undefined;
  return {
    ...contextOf(material),
    requestCert: isMutual,
    rejectUnauthorized: isMutual,
    handshakeTimeout: HANDSHAKE_MS,
  };
}

function contextOf(material: ServerTls): SecureContextOptions {
  return { ...tlsBuffers(material), minVersion: 'TLSv1.2' };
}

/** The certificate of all listeners of a program, read again when its files change. */
export class ServingTls implements ServerTls {
  readonly #disk: Disk;
  readonly #paths: TlsPaths;
  readonly #servers = new Set<FollowingServer>();
  #material: ServerTls;
  #fault: string | undefined;
  #reading: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #warnedMs = -Infinity;

  /**
   * Throws INVALID_CONFIG for a file that cannot be used, and CERTIFICATE_INVALID for an expired certificate.
   */
  static async open(disk: Disk, paths: TlsPaths): Promise<ServingTls> {
    const material = await readServerTls(disk, paths);
    requireValid(material);
    return new ServingTls(disk, paths, material);
  }

  private constructor(disk: Disk, paths: TlsPaths, material: ServerTls) {
    this.#disk = disk;
    this.#paths = paths;
    this.#material = material;
  }

  get ca(): Uint8Array | undefined {
    return this.#material.ca;
  }

  get cert(): Uint8Array {
    return this.#material.cert;
  }

  get key(): Uint8Array {
    return this.#material.key;
  }

  /** The end of the certificate, in milliseconds since 1970. */
  get endsMs(): number {
    return Date.parse(new X509Certificate(Buffer.from(this.cert)).validTo);
  }

  /** Gives the server each new certificate. */
  follow(server: FollowingServer): void {
    this.#servers.add(server);
    server.once('close', () => this.#servers.delete(server));
  }

  /** Until the program ends, takes new certificates, and warns before the end of the one in use. */
  async watch(resources: Resources, log: Log): Promise<void> {
    this.#warn(log);
    await resources.open(
      () => {
        this.#timer = setInterval(() => void this.reload(log), LOOK_MS).unref();
      },
      () => {
        clearInterval(this.#timer);
        return this.#reading;
      },
    );
  }

  /** Reads the files now. What cannot be used is logged, and the certificate in use stays. */
  reload(log: Log): Promise<void> {
    this.#reading = this.#reading.then(() => this.#read(log));
    return this.#reading;
  }

  async #read(log: Log): Promise<void> {
    try {
      const material = await readServerTls(this.#disk, this.#paths);
      if (!isSame(material, this.#material)) {
        requireValid(material);
        for (const server of this.#servers) server.setSecureContext(contextOf(material));
        this.#material = material;
        this.#warnedMs = -Infinity;
        const ends = new Date(this.endsMs).toISOString();
        log.info({ event: 'tls.certificate_taken', ends }, 'new certificate in use');
      }
      this.#fault = undefined;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (error.message !== this.#fault)
        log.error(
          { event: 'tls.certificate_refused', reason: error.message },
          'certificate refused: the last stays',
        );
      this.#fault = error.message;
    }
    this.#warn(log);
  }

  #warn(log: Log): void {
    const nowMs = Date.now();
    const leftMs = this.endsMs - nowMs;
    if (leftMs > SOON_MS || nowMs - this.#warnedMs < DAY_MS) return;
    this.#warnedMs = nowMs;
    const fields = { event: 'tls.certificate_ends', ends: new Date(this.endsMs).toISOString() };
    log.warn(fields, leftMs > 0 ? 'the certificate ends soon' : 'the certificate has ended');
  }
}

/**
 * The certificate of the settings, whose flags begin with `flags`; undefined without one. Throws
 * INVALID_CONFIG, CERTIFICATE_INVALID.
 */
export async function openServingTls(
  disk: Disk,
  paths: TlsPaths,
  flags = 'tls',
): Promise<ServingTls | undefined> {
  if (Object.values(paths).every((path) => path === '')) return undefined;
  if (paths.cert !== '' && paths.key !== '') return ServingTls.open(disk, paths);
  throw new DomainError('INVALID_CONFIG', `expected both --${flags}-cert and --${flags}-key, or neither`);
}

function requireValid({ cert }: ServerTls): void {
  const { validFrom, validTo } = new X509Certificate(Buffer.from(cert));
  const fault = validityFault({ validFrom, validTo }, Date.now());
  if (fault !== undefined) throw new DomainError('CERTIFICATE_INVALID', `own certificate: ${fault}`);
}

function isSame(a: ServerTls, b: ServerTls): boolean {
  const parts = ['ca', 'cert', 'key'] as const;
  return parts.every((part) => Buffer.compare(a[part] ?? EMPTY, b[part] ?? EMPTY) === 0);
}

const EMPTY = new Uint8Array(0);
