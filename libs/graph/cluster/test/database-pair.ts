import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CuttingRelay, PostgresProcess } from '#graph/testing';

const SETTINGS = { synchronous_standby_names: '' };

/** A primary and its standby, which confirms nothing, behind relays whose ports stay the same. */
export class DatabasePair {
  readonly first: PostgresProcess;
  readonly second: PostgresProcess;
  readonly #directory: string;
  #relays: readonly CuttingRelay[] = [];

  static async start(): Promise<DatabasePair> {
    const pair = new DatabasePair(await mkdtemp(join(tmpdir(), 'plexus-pair-')));
    const { first, second } = pair;
    // If this process is root, the databases run as another user, which needs access.
    await chmod(pair.#directory, 0o755);
    await first.initialise();
    await second.copyOf(first);
    await second.follow(first);
    await first.start();
    await second.start();
    pair.#relays = await Promise.all([first, second].map(({ socketPath }) => CuttingRelay.start(socketPath)));
    return pair;
  }

  private constructor(directory: string) {
    this.#directory = directory;
    this.first = new PostgresProcess('first', join(directory, 'first'), SETTINGS);
    this.second = new PostgresProcess('second', join(directory, 'second'), SETTINGS);
  }

  /** Addresses of both, the first one first. */
  get hosts(): readonly string[] {
    return this.#relays.map(({ port }) => `127.0.0.1:${String(port)}`);
  }

  /** Resolves when the standby shows a batch as published. */
  async replicated(seq: number): Promise<void> {
    for (;;) {
      const rows = await this.second.rows('SELECT seq FROM plexus.published').catch(() => []);
      if (Number(rows[0]?.['seq']) >= seq) return;
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#relays.map((relay) => relay.stop()));
    await Promise.all([this.first, this.second].map((database) => database.kill()));
    await rm(this.#directory, { recursive: true, force: true });
  }
}
