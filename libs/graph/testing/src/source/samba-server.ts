import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PLANT_RIGHTS, READ_RIGHTS, type SambaAccessList } from './samba-rights.ts';

const SAMBA = '/usr/sbin/samba';
/** Samba's Python modules belong to the system's interpreter. */
const PYTHON = '/usr/bin/python3';
const LDAP_PORT = 389;
const run = promisify(execFile);

export const SAMBA_PASSWORD = 'Samba-test-passw0rd';
export const SAMBA_ADMIN = 'Administrator@PLEXUS.TEST';
export const SAMBA_BASE = 'DC=plexus,DC=test';

/**
 * Why a domain controller cannot run here; undefined if it can. It needs the Debian packages samba-ad-dc,
 * samba-ad-provision, samba-dsdb-modules and winbind, and a privileged port.
 */
export function sambaMissing(): string | undefined {
  if (!existsSync(SAMBA)) return 'samba is not installed';
  if (!existsSync('/usr/share/samba/setup')) return 'samba-ad-provision is not installed';
  if (!isModuleThere()) return 'samba-dsdb-modules is not installed';
  return process.getuid?.() === 0 ? undefined : 'a domain controller needs root';
}

/** Debian installs them in the folder of the machine's architecture. */
function isModuleThere(): boolean {
  return readdirSync('/usr/lib').some((name) =>
    existsSync(join('/usr/lib', name, 'samba/ldb/samba_dsdb.so')),
  );
}

/** `users` users, all members of one group. */
const FILL = `
import sys
from ldb import Dn, FLAG_MOD_ADD, Message, MessageElement
from samba.auth import system_session
from samba.param import LoadParm
from samba.samdb import SamDB
lp = LoadParm()
lp.load(sys.argv[1])
db = SamDB(session_info=system_session(), lp=lp)
users = 'CN=Users,' + str(db.domain_dn())
names = ['u%05d' % at for at in range(int(sys.argv[2]))]
db.transaction_start()
for name in names:
    db.add({'dn': 'CN=%s,%s' % (name, users), 'objectClass': 'user', 'sAMAccountName': name})
db.add({'dn': 'CN=everyone,' + users, 'objectClass': 'group', 'sAMAccountName': 'everyone'})
change = Message(Dn(db, 'CN=everyone,' + users))
change['member'] = MessageElement(['CN=%s,%s' % (name, users) for name in names], FLAG_MOD_ADD, 'member')
db.modify(change)
db.transaction_commit()
`;

/**
 * A real domain controller with rights, reduced to its directory. Its port is fixed, so it gets its own
 * address.
 */
export class SambaServer {
  readonly url: string;
  readonly #process: ChildProcess;
  readonly #directory: string;

  static async start(users: number): Promise<SambaServer> {
    const directory = await mkdtemp(join(tmpdir(), 'plexus-samba-'));
    const provision = ['domain', 'provision', '--realm=PLEXUS.TEST', '--domain=PLEXUS', '--server-role=dc'];
    const local = ['--dns-backend=NONE', '--host-name=dc1', '--host-ip=127.0.0.1'];
    await run('/usr/bin/samba-tool', [
      ...provision,
      ...local,
      `--adminpass=${SAMBA_PASSWORD}`,
      `--targetdir=${directory}`,
    ]);
    const address = `127.0.${randomInt(1, 255)}.${randomInt(1, 255)}`;
    const file = join(directory, 'etc', 'smb.conf');
    await writeFile(file, configured(await readFile(file, 'utf8'), directory, address));
    await run(PYTHON, ['-c', FILL, file, String(users)]);
    await run(PYTHON, ['-c', PLANT_RIGHTS, file]);
    const child = spawn(SAMBA, ['-F', '--no-process-group', '-s', file], { stdio: 'ignore' });
    await listening(address, child);
    return new SambaServer(child, directory, address);
  }

  private constructor(child: ChildProcess, directory: string, address: string) {
    this.#process = child;
    this.#directory = directory;
    this.url = `ldap://${address}:${LDAP_PORT}`;
  }

  /** What Samba itself reads of the access list of every object. */
  async accessLists(): Promise<readonly SambaAccessList[]> {
    const file = join(this.#directory, 'etc', 'smb.conf');
    const { stdout } = await run(PYTHON, ['-c', READ_RIGHTS, file], { maxBuffer: 67_108_864 });
    return JSON.parse(stdout) as readonly SambaAccessList[];
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await ended;
    await rm(this.#directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

function configured(text: string, directory: string, address: string): string {
  const settings = [
    '[global]',
    `interfaces = ${address}/8`,
    'bind interfaces only = yes',
    'server services = ldap',
    'ldap server require strong auth = no',
    `pid directory = ${directory}`,
    `log file = ${directory}/log.%m`,
  ];
  const isOwn = (line: string): boolean => /^\s*(server services|log file)\s*=/.test(line);
  const lines = text.split('\n').filter((line) => !isOwn(line));
  return lines.join('\n').replace('[global]', settings.join('\n'));
}

/** Resolves when a connection is accepted; retries after each refusal. */
async function listening(address: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect(LDAP_PORT, address);
    const isUp = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isUp) return;
  }
  throw new Error('samba ended');
}
