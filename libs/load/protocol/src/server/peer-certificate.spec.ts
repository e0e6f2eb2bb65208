import { describe, expect, it } from '@jest/globals';
import type { PeerCertificate } from 'node:tls';
import { PeerIdentity } from './peer-certificate.ts';

const DAY_MS = 86_400_000;
const FROM_MS = Date.parse('2026-01-01T00:00:00Z');

function peer(subject: object, subjectaltname?: string): PeerIdentity {
  const certificate = {
    subject,
    subjectaltname,
    valid_from: 'Jan  1 00:00:00 2026 GMT',
    valid_to: 'Jan  3 00:00:00 2026 GMT',
  };
  const identity = PeerIdentity.of(certificate as PeerCertificate);
  if (identity === undefined) throw new Error('no certificate');
  return identity;
}

describe('PeerIdentity', () => {
  it.each([
    [{ CN: 'a' }, undefined],
    [{ CN: 'x' }, 'DNS:b, DNS:a'],
    [{}, 'IP Address:127.0.0.1, URI:a'],
    [{ CN: ['x', 'a'] }, undefined],
  ])('is the edge that %j or %j names', (subject, names) => {
    expect(() => {
      peer(subject, names).assertIs('a', FROM_MS + DAY_MS);
    }).not.toThrow();
    expect(() => {
      peer(subject, names).assertIs('ab', FROM_MS + DAY_MS);
    }).toThrow('the certificate does not name edge ab');
  });

  it.each([
    [-1, 'it is not valid before Jan  1'],
    [2 * DAY_MS, 'it expired at Jan  3'],
  ])('rejects a certificate outside of its validity: %i ms after the start', (ms, message) => {
    expect(peer({ CN: 'a' }).faultAt(FROM_MS + ms)).toContain(message);
    expect(() => {
      peer({ CN: 'a' }).assertIs('a', FROM_MS + ms);
    }).toThrow(message);
  });

  it.each([['DNS:"x, DNS:a, DNS:y"'], ['URI:"\\", DNS:a, URI:\\""'], ['DNS:x']])(
    'does not accept the edge id within the alternative name %j',
    (names) => {
      expect(() => {
        peer({ CN: 'x' }, names).assertIs('a', FROM_MS + DAY_MS);
      }).toThrow('the certificate does not name edge a');
    },
  );

  it('is undefined without a certificate', () => {
    expect(PeerIdentity.of(undefined)).toBeUndefined();
  });
});
