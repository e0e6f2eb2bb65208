/** The temporary schema of a check of a database, marked by a lease for as long as the check runs. */
import { randomUUID } from 'node:crypto';
import { DomainError, pause } from '#platform/foundation';
import type { Connection } from '../connection.ts';
import { withConnection } from '../database.ts';
import { LeaseTable } from '../lease-table.ts';
import { leaseTable, quoted } from '../schema.ts';
import { codeOf, reasonOf, unavailable } from '../sql-error.ts';
import type { StoreAddress } from '../store-address.ts';

const MARK = 'store check';
const MARK_MS = 20_000;
const RENEW_MS = 2_000;
const WATCH_MS = 250;
const SCHEMA = /^plexus_check_[0-9a-f]{8}$/;
const UNREADABLE = new Set(['42P01', '42501', '3F000']);

/**
 * A schema of an earlier check, or of one that runs now. `left`: its check has ended; `unknown`: it has no
 * mark, or none that this user may read.
 */
export interface FoundSchema {
  readonly schema: string;
  readonly state: 'running' | 'left' | 'dropped' | 'unknown';
}

export class CheckSchema {
  readonly name = `plexus_check_${randomUUID().slice(0, 8)}`;
  readonly #address: StoreAddress;
  #timer: NodeJS.Timeout | undefined;
  #renewed: Promise<unknown> = Promise.resolve();

  /** Throws STORE_UNAVAILABLE, also for a missing right. */
  static async make(address: StoreAddress): Promise<CheckSchema> {
    const schema = new CheckSchema(address);
    await schema.#make();
    schema.#renewLater();
    return schema;
  }

  private constructor(address: StoreAddress) {
    this.#address = address;
  }

  /** Drops it with its contents. Throws STORE_UNAVAILABLE. */
  async drop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#renewed;
    await withConnection(this.#address, async (connection) => {
      await connection.query(dropOf(this.name));
    });
  }

  /** The schema appears with its mark. */
  #make(): Promise<void> {
    return withConnection(this.#address, async (connection) => {
      try {
        await connection.query('BEGIN');
        await connection.query(`CREATE SCHEMA ${quoted(this.name)}`);
        await connection.query(leaseTable(quoted(this.name)));
        await this.#mark(connection);
        await connection.query('COMMIT');
      } catch (error) {
        throw unavailable(`the schema ${this.name} cannot be made or read: ${reasonOf(error)}`, error);
      }
    });
  }

  #mark(connection: Connection): Promise<boolean> {
    return new LeaseTable(this.name).hold(connection, MARK, this.name, MARK_MS);
  }

  #renewLater(): void {
    this.#timer = setTimeout(() => {
      // While the database does not answer, nobody else can drop the schema either.
      this.#renewed = withConnection(this.#address, (connection) => this.#mark(connection))
        .catch(() => undefined)
        .finally(() => {
          if (this.#timer !== undefined) this.#renewLater();
        });
    }, RENEW_MS).unref();
  }
}

/**
 * The schemas of checks. One whose mark has not run out is watched until it is renewed or has run out, twenty
 * seconds at most. `drop` drops those that are left. Throws STORE_UNAVAILABLE.
 */
export function findCheckSchemas(
  address: StoreAddress,
  { drop }: { readonly drop: boolean },
): Promise<readonly FoundSchema[]> {
  return withConnection(address, async (connection) => {
    const rows = await connection.query(`SELECT nspname FROM pg_namespace ORDER BY nspname`);
    const names = rows.map((row) => String(row['nspname'])).filter((name) => SCHEMA.test(name));
    const found: FoundSchema[] = [];
    for (const schema of names) {
      const state = await stateOf(connection, schema);
      if (state === undefined) continue;
      const isDropped = drop && state === 'left' && (await dropLeft(connection, schema));
      found.push({ schema, state: isDropped ? 'dropped' : state });
    }
    return found;
  });
}

/** Undefined if the schema has gone meanwhile. */
async function stateOf(
  connection: Connection,
  schema: string,
): Promise<Exclude<FoundSchema['state'], 'dropped'> | undefined> {
  const first = await markOf(connection, schema);
  for (let mark = first; ; mark = await markOf(connection, schema)) {
    if (mark === undefined) {
      const rows = await connection.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
      return rows.length === 0 ? undefined : 'unknown';
    }
    if (mark.isOver) return 'left';
    if (mark.until !== first?.until) return 'running';
    await pause(WATCH_MS);
  }
}

interface Mark {
  readonly until: string;
  readonly isOver: boolean;
}

async function markOf(connection: Connection, schema: string, lock = ''): Promise<Mark | undefined> {
  try {
    const [row] = await connection.query(
      `SELECT until::text AS until, until < now() AS over FROM ${quoted(schema)}.lease WHERE name = $1 ${lock}`,
      [MARK],
    );
    return row && { until: String(row['until']), isOver: row['over'] === true };
  } catch (error) {
    if (UNREADABLE.has(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** Not if its check has renewed the mark meanwhile, or if the schema is not this user's. */
async function dropLeft(connection: Connection, schema: string): Promise<boolean> {
  try {
    await connection.query('BEGIN');
    const mark = await markOf(connection, schema, 'FOR UPDATE');
    if (mark?.isOver === true) await connection.query(dropOf(schema));
    await connection.query('COMMIT');
    return mark?.isOver === true;
  } catch (error) {
    await connection.query('ROLLBACK');
    if (error instanceof DomainError || !UNREADABLE.has(codeOf(error) ?? '')) throw error;
    return false;
  }
}

function dropOf(schema: string): string {
  return `DROP SCHEMA IF EXISTS ${quoted(schema)} CASCADE`;
}
