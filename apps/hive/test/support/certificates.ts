import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TlsMaterial } from '#platform/grpc';

const SCRIPT = fileURLToPath(new URL('../../../../tools/make-certificates.sh', import.meta.url));
const MS_PER_S = 1_000;
const BACK_MS = 60 * MS_PER_S;

export const isOpensslInstalled = spawnSync('openssl', ['version']).status === 0;

/** A new certificate authority in its own directory, created by tools/make-certificates.sh. */
export class Authority {
  readonly directory = mkdtempSync(join(tmpdir(), 'plexus-certificates-'));

  constructor(...edgeIds: readonly string[]) {
    this.make(60, ...edgeIds);
  }

  /** Creates certificates; existing edges keep theirs. A negative number of days creates expired ones. */
  make(days: number, ...edgeIds: readonly string[]): void {
    execFileSync('sh', [SCRIPT, this.directory, '127.0.0.1,localhost', ...edgeIds], {
      env: { ...process.env, DAYS: String(days) },
      stdio: 'pipe',
    });
  }

  /** Reissues the edge's certificate with a lifetime in seconds, which the script does not support. */
  shorten(name: string, seconds: number): void {
    const { directory } = this;
    const config = [
      '[ca]\ndefault_ca = own',
      '[own]\ndatabase = index.txt\nnew_certs_dir = .\nserial = serial\nunique_subject = no\ndefault_md = sha256\npolicy = any',
      '[any]\ncommonName = supplied',
    ];
    writeFileSync(join(directory, 'ca.cnf'), `${config.join('\n')}\n`);
    writeFileSync(join(directory, 'index.txt'), '');
    const openssl = (...args: readonly string[]): void => {
      execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' });
    };
    openssl('req', '-new', '-key', `${name}.key`, '-subj', `/CN=${name}`, '-out', `${name}.csr`);
    const fromMs = Date.now() - BACK_MS;
    const dates = ['-startdate', stamp(fromMs), '-enddate', stamp(Date.now() + seconds * MS_PER_S)];
    const own = ['-config', 'ca.cnf', '-cert', 'ca.pem', '-keyfile', 'ca.key', '-rand_serial'];
    openssl('ca', '-batch', '-notext', ...own, ...dates, '-in', `${name}.csr`, '-out', `${name}.pem`);
  }

  path(file: string): string {
    return join(this.directory, file);
  }

  material(name: string): TlsMaterial {
    const read = (file: string): Uint8Array => readFileSync(this.path(file));
    return { ca: read('ca.pem'), cert: read(`${name}.pem`), key: read(`${name}.key`) };
  }

  remove(): void {
    rmSync(this.directory, { recursive: true });
  }
}

/** `20261121141503Z`. */
function stamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`;
}
