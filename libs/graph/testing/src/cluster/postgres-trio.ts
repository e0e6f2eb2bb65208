import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause } from '#platform/foundation';
import { PostgresProcess } from './postgres-process.ts';

const NAMES = ['db_a', 'db_b', 'db_c'];
const POLL_MS = 20;
const WHOLE_MS_MAX = 120_000;

export interface TrioOptions {
  /** Acknowledges commits before a standby has them, so that a fail-over loses some. */
  readonly isAsynchronous?: boolean;
}

/** A primary and two standbys, one of which must have each commit before it is acknowledged. */
export class PostgresTrio {
  readonly all: readonly PostgresProcess[];
  readonly #directory: string;
  #primary: PostgresProcess;

  static async start({ isAsynchronous = false }: TrioOptions = {}): Promise<PostgresTrio> {
    const directory = await mkdtemp(join(tmpdir(), 'plexus-trio-'));
    // If this process is root, the databases run as another user, which needs access.
    await chmod(directory, 0o755);
    const settings = { synchronous_standby_names: isAsynchronous ? '' : `ANY 1 (${NAMES.join(', ')})` };
    const all = NAMES.map((name) => new PostgresProcess(name, join(directory, name), settings));
    const [primary, ...standbys] = all;
    if (primary === undefined) throw new Error('expected a name');
    const trio = new PostgresTrio(directory, all, primary);
    try {
      await primary.initialise();
      for (const standby of standbys) {
        await standby.copyOf(primary);
        await standby.follow(primary);
      }
      for (const database of all) await database.start();
      await trio.whole();
      return trio;
    } catch (error) {
      await trio.stop();
      throw error;
    }
  }

  private constructor(directory: string, all: readonly PostgresProcess[], primary: PostgresProcess) {
    this.#directory = directory;
    this.all = all;
    this.#primary = primary;
  }

  get primary(): PostgresProcess {
    return this.#primary;
  }

  get standbys(): readonly PostgresProcess[] {
    return this.all.filter((database) => database !== this.#primary);
  }

  /** Resolves when both standbys stream from the primary. */
  async whole(): Promise<void> {
    const deadlineMs = performance.now() + WHOLE_MS_MAX;
    while (performance.now() < deadlineMs) {
      const sql = `SELECT application_name FROM pg_stat_replication WHERE state = 'streaming'`;
      const streaming = await this.#primary.rows(sql);
      if (streaming.length === this.standbys.length) return;
      await pause(POLL_MS);
    }
    const logs = this.standbys.map(({ log }) => log.slice(-10).join(''));
    throw new Error(`expected the standbys to follow ${this.#primary.name}: ${logs.join('\n')}`);
  }

  /**
   * After the loss of the primary: promotes the standby with the longer log, and makes the other follow it.
   */
  async promote(): Promise<void> {
    const [first, second] = await Promise.all(
      this.standbys.map(async (database) => ({ database, end: await endOf(database) })),
    );
    if (first === undefined || second === undefined) throw new Error('expected two standbys');
    const [best, other] = first.end >= second.end ? [first, second] : [second, first];
    await best.database.rows('SELECT pg_promote(true, 60)');
    this.#primary = best.database;
    await other.database.follow(best.database);
    other.database.reload();
  }

  /** Replaces the data of a lost primary by a copy of the standby, which is stopped meanwhile. */
  async join(lost: PostgresProcess): Promise<void> {
    const [source] = this.standbys.filter((database) => database !== lost);
    if (source === undefined) throw new Error('expected a standby');
    await source.stop();
    await lost.copyOf(source);
    await lost.follow(this.#primary);
    await Promise.all([source.start(), lost.start()]);
    await this.whole();
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map((database) => database.kill()));
    await rm(this.#directory, { recursive: true, force: true });
  }
}

/** The log position of a standby. */
async function endOf(standby: PostgresProcess): Promise<bigint> {
  const [row] = await standby.rows(
    `SELECT greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0'::pg_lsn AS bytes`,
  );
  return BigInt(String(row?.['bytes']));
}
