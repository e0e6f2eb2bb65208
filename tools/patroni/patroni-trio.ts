/** Three PostgreSQL on this machine, each under its own Patroni, and one etcd; on free loopback ports. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause } from '#platform/foundation';
import { freePort } from '../../libs/testing/src/ports.ts';

const NAMES = ['db_a', 'db_b', 'db_c'];
const PROGRAMS = '/usr/lib/postgresql';
/** The user that Debian's package makes for the databases, which refuse to run as root. */
const USER_FOR_ROOT = 'postgres';
const POLL_MS = 50;
const PATIENCE_MS = 180_000;
/** In seconds; the least `ttl` that Patroni accepts. A leader that is killed is replaced after it. */
const SETTINGS = { ttl: 20, retry_timeout: 3, loop_wait: 2, synchronous_mode: true };

export interface Member {
  readonly name: string;
  /** Of Patroni's REST interface. */
  readonly restPort: number;
  readonly port: number;
  readonly home: string;
  readonly configuration: string;
  patroni: ChildProcess;
}

/** A member as the others see it. */
interface Seen {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

/** Resolves when `isTrue`; rejects after some minutes. */
export async function until(what: string, isTrue: () => Promise<boolean> | boolean): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS;
  while (!(await isTrue())) {
    if (performance.now() > endMs) throw new Error(`expected within ${PATIENCE_MS / 1_000} s: ${what}`);
    await pause(POLL_MS);
  }
}

export class PatroniTrio {
  readonly password = 'patroni-test-password';
  readonly #directory = mkdtempSync(join(tmpdir(), 'plexus-patroni-'));
  readonly #owner = ownerOf();
  readonly #binaries = join(PROGRAMS, readdirSync(PROGRAMS).sort().at(-1) ?? '', 'bin');
  readonly #members: Member[] = [];
  #etcdPort = 0;
  #etcd: ChildProcess | undefined;

  /** Resolves when there are a leader and a synchronous standby, and all three run. */
  async start(): Promise<void> {
    chmodSync(this.#directory, 0o755);
    await this.#startEtcd();
    for (const name of NAMES) this.#members.push(await this.#member(name));
    await this.whole();
  }

  get versions(): readonly string[] {
    const programs = ['patroni', 'etcd', join(this.#binaries, 'postgres')];
    const shown = programs.map((program) => execFileSync(program, ['--version'], { encoding: 'utf8' }));
    return shown.map((text) => text.split('\n')[0] ?? '');
  }

  /** Of all members, in any order. */
  get storeUrl(): string {
    const hosts = this.#members.map(({ port }) => `127.0.0.1:${port}`).join(',');
    return `postgres://postgres@${hosts}/postgres`;
  }

  async whole(): Promise<void> {
    await until('a leader, a synchronous standby and a third member, all running', async () => {
      const seen = await this.#seen();
      const roles = new Set(seen.map(({ role }) => role));
      const isRunning = seen.every(({ state }) => state === 'running' || state === 'streaming');
      return seen.length === NAMES.length && isRunning && roles.has('leader') && roles.has('sync_standby');
    });
  }

  async leader(): Promise<Member> {
    const name = (await this.#seen()).find(({ role }) => role === 'leader')?.name;
    const member = this.#members.find((each) => each.name === name);
    if (member === undefined) throw new Error('expected a leader');
    return member;
  }

  /** Kills a database, and its Patroni too, which is started again once another member leads. */
  async kill(member: Member): Promise<void> {
    member.patroni.kill('SIGKILL');
    this.killDatabase(member);
    await until('another leader', async () =>
      (await this.#seen()).some(
        ({ name, role, state }) => role === 'leader' && name !== member.name && state === 'running',
      ),
    );
    member.patroni = this.#startPatroni(member.name, member.configuration);
  }

  /** Kills a database; its Patroni starts it again, or lets another member lead. */
  killDatabase({ home }: Member): void {
    const [pid = ''] = readFileSync(join(home, 'data', 'postmaster.pid'), 'utf8').split('\n');
    process.kill(Number(pid), 'SIGKILL');
  }

  /** Orders another member to lead. */
  async switchOver({ name, restPort }: Member): Promise<void> {
    const url = `http://127.0.0.1:${restPort}/switchover`;
    const reply = await fetch(url, { method: 'POST', body: JSON.stringify({ leader: name }) });
    if (!reply.ok) throw new Error(`the switchover was refused: ${await reply.text()}`);
  }

  /** Keeps the logs of a failure; returns where. */
  async stop({ keepsLogs }: { readonly keepsLogs: boolean }): Promise<string | undefined> {
    for (const { patroni } of this.#members) patroni.kill('SIGTERM');
    for (const { name, patroni } of this.#members) await until(`the end of ${name}`, () => hasEnded(patroni));
    this.#etcd?.kill('SIGTERM');
    if (keepsLogs) return this.#directory;
    rmSync(this.#directory, { recursive: true, force: true });
    return undefined;
  }

  async #startEtcd(): Promise<void> {
    const peerPort = await freePort();
    this.#etcdPort = await freePort();
    const [client, peer] = [this.#etcdPort, peerPort].map((port) => `http://127.0.0.1:${port}`);
    this.#etcd = this.#begin('etcd', 'etcd', [
      `--data-dir=${join(this.#directory, 'etcd')}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
    ]);
  }

  async #member(name: string): Promise<Member> {
    const [restPort, port] = [await freePort(), await freePort()];
    const home = join(this.#directory, name);
    mkdirSync(home);
    if (this.#owner !== undefined) chownSync(home, this.#owner.uid, this.#owner.gid);
    const configuration = join(this.#directory, `${name}.yaml`);
    const content = this.#configuration({ name, restPort, port, home });
    // JSON is YAML.
    writeFileSync(configuration, JSON.stringify(content));
    const patroni = this.#startPatroni(name, configuration);
    return { name, restPort, port, home, configuration, patroni };
  }

  #configuration({
    name,
    restPort,
    port,
    home,
  }: Pick<Member, 'name' | 'restPort' | 'port' | 'home'>): Readonly<Record<string, unknown>> {
    const at = (ofPort: number): object => ({
      listen: `127.0.0.1:${ofPort}`,
      connect_address: `127.0.0.1:${ofPort}`,
    });
    const user = (username: string): object => ({ username, password: this.password });
    const authentication = {
      superuser: user('postgres'),
      replication: user('follower'),
      rewind: user('rewinder'),
    };
    const hosts = ['all', 'replication'].map((what) => `host ${what} all 127.0.0.1/32 scram-sha-256`);
    const postgresql = { use_pg_rewind: true, parameters: { wal_log_hints: 'on' } };
    return {
      scope: 'plexus',
      name,
      restapi: at(restPort),
      etcd3: { host: `127.0.0.1:${this.#etcdPort}` },
      bootstrap: { dcs: { ...SETTINGS, postgresql }, initdb: [{ encoding: 'UTF8' }], pg_hba: hosts },
      postgresql: {
        ...at(port),
        data_dir: join(home, 'data'),
        bin_dir: this.#binaries,
        pgpass: join(home, 'pgpass'),
        authentication,
        parameters: { unix_socket_directories: home },
      },
    };
  }

  #startPatroni(name: string, configuration: string): ChildProcess {
    return this.#begin(name, 'patroni', [configuration]);
  }

  #begin(name: string, program: string, args: readonly string[]): ChildProcess {
    const log = openSync(join(this.#directory, `${name}.log`), 'a');
    const owner = program === 'patroni' ? this.#owner : undefined;
    return spawn(program, args, { stdio: ['ignore', log, log], cwd: this.#directory, ...owner });
  }

  /** The members as the first one that answers sees them. */
  async #seen(): Promise<readonly Seen[]> {
    for (const { restPort } of this.#members) {
      const reply = await fetch(`http://127.0.0.1:${restPort}/cluster`).catch(() => undefined);
      if (reply?.ok === true) return ((await reply.json()) as { readonly members: readonly Seen[] }).members;
    }
    return [];
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Undefined if this process is not root. */
function ownerOf(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, USER_FOR_ROOT]));
  return { uid: idOf('-u'), gid: idOf('-g') };
}
