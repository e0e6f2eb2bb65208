import { describe } from '@jest/globals';
import { goldenTests } from '#testing';
import { ConfigFiles, type FileContent } from '../src/config/config-files.ts';
import { InvalidProxyConfig } from '../src/config/invalid-proxy-config.ts';
import { parseProxyConfig } from '../src/config/load/parse-proxy-config.ts';
import { makeCertificate } from './certificate.ts';

const { cert, key } = makeCertificate('api.internal');
const ENCRYPTED = '-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----\n';
const BROKEN = '-----BEGIN CERTIFICATE-----\nMIIBbroken\n-----END CERTIFICATE-----\n';
const CONTENTS = new Map<string, FileContent>([
  ['/etc/plexus/cert.pem', { text: cert }],
  ['/etc/plexus/key.pem', { text: key }],
  ['/etc/plexus/other-key.pem', { text: makeCertificate('other.internal').key }],
  ['/etc/plexus/broken.pem', { text: cert + BROKEN }],
  ['/etc/plexus/encrypted-key.pem', { text: ENCRYPTED }],
  ['/etc/plexus/empty.pem', { text: '' }],
  ['/etc/plexus/missing.pem', { fault: 'ENOENT' }],
]);

function faultsOf(text: string): string {
  const files = new ConfigFiles('/etc/plexus', CONTENTS);
  try {
    parseProxyConfig(text, { file: 'proxy.yaml', files, environment: {}, nowMs: Date.now() });
    return 'no fault';
  } catch (error) {
    if (error instanceof InvalidProxyConfig) return error.message;
    throw error;
  }
}

describe('an invalid configuration', () => {
  goldenTests(new URL('data/configuration-faults.txt', import.meta.url), faultsOf);
});
