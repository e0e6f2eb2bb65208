/** Leases for work that one node does at a time, timed by the database's clock. */
import type { HeldLease } from '#graph/storage';
import type { Connection } from './connection.ts';
import { quoted } from './schema.ts';

export class LeaseTable {
  readonly #schema: string;

  constructor(schema: string) {
    this.#schema = quoted(schema);
  }

  /** Acquires or renews the lease; returns false while another node holds it. */
  async hold(connection: Connection, name: string, node: string, ms: number): Promise<boolean> {
    const rows = await connection.wait(
      `INSERT INTO ${this.#schema}.lease AS l (name, node, until)
       VALUES ($1, $2, now() + $3 * interval '1 millisecond')
       ON CONFLICT (name) DO UPDATE SET node = excluded.node, until = excluded.until
       WHERE l.node = excluded.node OR l.until < now()
       RETURNING node`,
      [name, node, ms],
    );
    return rows.length > 0;
  }

  /** Those that have not expired. */
  async held(connection: Connection): Promise<readonly HeldLease[]> {
    const rows = await connection.wait(`SELECT name, node FROM ${this.#schema}.lease WHERE until > now()`);
    return rows.map(({ name, node }) => ({ name: String(name), node: String(node) }));
  }

  /** Releases the lease before it expires. */
  async release(connection: Connection, name: string, node: string): Promise<void> {
    await connection.wait(`DELETE FROM ${this.#schema}.lease WHERE name = $1 AND node = $2`, [name, node]);
  }
}
