import type { PeerCertificate } from 'node:tls';
import { DomainError } from '#platform/foundation';
import { validityFault } from '#platform/grpc';

/** One alternative name. Node quotes what holds a comma: a name within quotes is nobody's. */
const ALTERNATIVE = /(?:^|, )[A-Za-z ]+:("(?:[^"\\]|\\.)*"|[^,]*)/g;

/** Who is at the other end of a call; undefined where no certificates are used. */
export class PeerIdentity {
  readonly #certificate: PeerCertificate;

  static of(certificate: PeerCertificate | undefined): PeerIdentity | undefined {
    return certificate === undefined ? undefined : new PeerIdentity(certificate);
  }

  private constructor(certificate: PeerCertificate) {
    this.#certificate = certificate;
  }

  /** Throws CERTIFICATE_INVALID unless the certificate is the edge's own, and holds now. */
  assertIs(edgeId: string, nowMs: number): void {
    if (!this.#names().includes(edgeId)) {
      throw new DomainError('CERTIFICATE_INVALID', `the certificate does not name edge ${edgeId}`);
    }
    const fault = this.faultAt(nowMs);
    if (fault !== undefined) throw new DomainError('CERTIFICATE_INVALID', fault);
  }

  /** Undefined while the certificate holds. A connection outlives it. */
  faultAt(nowMs: number): string | undefined {
    const { valid_from: validFrom, valid_to: validTo } = this.#certificate;
    const fault = validityFault({ validFrom, validTo }, nowMs);
    return fault === undefined ? undefined : `the certificate of the edge: ${fault}`;
  }

  /** Its common names, and the DNS names and URIs of its subject. */
  #names(): readonly string[] {
    const { subject, subjectaltname = '' } = this.#certificate;
    const alternative = Array.from(subjectaltname.matchAll(ALTERNATIVE), ([, name = '']) => name);
    return [subject.CN ?? [], alternative].flat();
  }
}
