import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** A new self-signed certificate for a name, with its key. */
export function makeCertificate(name: string, days = 2): Certificate {
  const directory = mkdtempSync(join(tmpdir(), 'plexus-certificate-'));
  const [certFile, keyFile] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', String(days)];
  try {
    execFileSync('openssl', ['req', '-x509', ...kind, ...names, '-keyout', keyFile, '-out', certFile], {
      stdio: 'pipe',
    });
    return { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
