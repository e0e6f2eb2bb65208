import type { PeerCertificate } from 'node:tls';
import { DomainError } from '#platform/foundation';
import { validityFault } from '#platform/grpc';

/** One alternative name. Node quotes a name that contains a comma; a quoted name matches no edge. */
const ALTERNATIVE = /(?:^|, )[A-Za-z ]+:("(?:[^"\\]|\\.)*"|[^,]*)/g;

/** The authenticated client of a call; undefined if certificates are not used. */
export class PeerIdentity {
  readonly #certificate: PeerCertificate;

  static of(certificate: PeerCertificate | undefined): PeerIdentity | undefined {
    return certificate === undefined ? undefined : new PeerIdentity(certificate);
  }

  private constructor(certificate: PeerCertificate) {
    this.#certificate = certificate;
  }

  /** Throws CERTIFICATE_INVALID unless the certificate names the edge and is valid at `nowMs`. */
  assertIs(edgeId: string, nowMs: number): void {
    if (!this.#names().includes(edgeId)) {
      throw new DomainError('CERTIFICATE_INVALID', `the certificate does not name edge ${edgeId}`);
    }
    const fault = this.faultAt(nowMs);
    if (fault !== undefined) throw new DomainError('CERTIFICATE_INVALID', fault);
  }

  /** Undefined if the certificate is valid at `nowMs`. A connection can outlive its certificate. */
  faultAt(nowMs: number): string | undefined {
    const { valid_from: validFrom, valid_to: validTo } = this.#certificate;
    const fault = validityFault({ validFrom, validTo }, nowMs);
    return fault === undefined ? undefined : `the certificate of the edge: ${fault}`;
  }

  /** The common names and all alternative names of the certificate. */
  #names(): readonly string[] {
    const { subject, subjectaltname = '' } = this.#certificate;
    const alternative = Array.from(subjectaltname.matchAll(ALTERNATIVE), ([, name = '']) => name);
    return [subject.CN ?? [], alternative].flat();
  }
}
