import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#testing/ports';

const SLAPD = [
  '/usr/sbin/slapd',
  '/usr/local/libexec/slapd',
  '/opt/homebrew/opt/openldap/libexec/slapd',
].find((path) => existsSync(path));
const MODULES = ['/usr/lib/ldap', '/usr/lib64/openldap'].find((path) =>
  existsSync(join(path, 'back_mdb.so')),
);
const SCHEMAS = ['/etc/ldap/schema', '/etc/openldap/schema'].find((path) => existsSync(path));

export const LDAP_PASSWORD = 'ldap-test-password';
export const LDAP_ADMIN = 'cn=admin,dc=corp,dc=example';

/** Whether OpenLDAP's server is installed (Debian package slapd). */
export const isLdapInstalled = SLAPD !== undefined && SCHEMAS !== undefined;

/** A real OpenLDAP server with its own directory, two ports and a certificate. */
export class LdapServer {
  readonly url: string;
  readonly secureUrl: string;
  readonly caFile: string;
  readonly #process: ChildProcess;
  readonly #directory: string;

  /** `limit` is the maximum number of entries for clients other than the administrator. */
  static async start(ldif: string, limit = 500): Promise<LdapServer> {
    const directory = await mkdtemp(join(tmpdir(), 'plexus-ldap-'));
    await mkdir(join(directory, 'data'));
    await writeFile(join(directory, 'slapd.conf'), configuration(directory, limit));
    await writeFile(join(directory, 'data.ldif'), ldif);
    makeCertificate(directory);
    const conf = join(directory, 'slapd.conf');
    execFileSync(SLAPD ?? '', ['-Tadd', '-f', conf, '-l', join(directory, 'data.ldif')], { stdio: 'pipe' });
    const [port, securePort] = [await freePort(), await freePort()];
    const urls = `ldap://127.0.0.1:${port} ldaps://127.0.0.1:${securePort}`;
    const child = spawn(SLAPD ?? '', ['-d', '0', '-f', conf, '-h', urls], { stdio: 'ignore' });
    await listening(port, child);
    return new LdapServer({ child, directory, port, securePort });
  }

  private constructor(parts: { child: ChildProcess; directory: string; port: number; securePort: number }) {
    this.#process = parts.child;
    this.#directory = parts.directory;
    this.url = `ldap://127.0.0.1:${parts.port}`;
    this.secureUrl = `ldaps://127.0.0.1:${parts.securePort}`;
    this.caFile = join(parts.directory, 'cert.pem');
  }

  async stop(): Promise<void> {
    const { exitCode, signalCode } = this.#process;
    if (exitCode === null && signalCode === null) {
      const ended = once(this.#process, 'exit');
      this.#process.kill('SIGTERM');
      await ended;
    }
    await rm(this.#directory, { recursive: true, force: true });
  }
}

function configuration(directory: string, limit: number): string {
  const schemas = ['core', 'cosine', 'nis', 'inetorgperson', 'dyngroup', 'misc'];
  return [
    ...schemas.map((name) => `include ${join(SCHEMAS ?? '', `${name}.schema`)}`),
    ...(MODULES === undefined ? [] : [`modulepath ${MODULES}`, 'moduleload back_mdb']),
    `pidfile ${directory}/slapd.pid`,
    `TLSCertificateFile ${directory}/cert.pem`,
    `TLSCertificateKeyFile ${directory}/key.pem`,
    `sizelimit ${limit}`,
    'database mdb',
    'suffix "dc=corp,dc=example"',
    `directory ${directory}/data`,
    `rootdn "${LDAP_ADMIN}"`,
    `rootpw ${LDAP_PASSWORD}`,
    'access to attrs=userPassword by anonymous auth',
    'access to * by users read',
    '',
  ].join('\n');
}

function makeCertificate(directory: string): void {
  const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', join(directory, 'key.pem'), '-out', join(directory, 'cert.pem')];
  const key = ['-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', ...key, ...names, ...files], { stdio: 'pipe' });
}

/** Resolves when a connection is accepted; retries after each refusal. */
async function listening(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect(port, '127.0.0.1');
    const isUp = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isUp) return;
  }
  throw new Error('slapd ended');
}
