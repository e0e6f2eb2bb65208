import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installedPostgres, postgresMissing, PostgresProcess } from '#graph/testing';
import { postgresConnector } from '../src/connectors/postgres/postgres-connector.ts';
import { connectorMatchers } from '../src/kit/matchers.ts';
import { runConnector, type TestRun } from '../src/kit/run-connector.ts';
import { describeUnless } from '#testing';

const SCHEMAS = ['rental', 'music', 'trade'];
const DATABASES = ['shop', 'closed'];
const SOCKET_PORT = 5432;

/** Memberships by which rights are passed on, by SET ROLE only, or not at all. */
const SINCE_16 = `
  CREATE ROLE admin_only LOGIN; GRANT readers TO admin_only WITH INHERIT FALSE, SET FALSE, ADMIN TRUE;
  CREATE ROLE set_only LOGIN; GRANT clerks TO set_only WITH INHERIT FALSE, SET TRUE;
  CREATE ROLE inherit_only LOGIN; GRANT managers TO inherit_only WITH INHERIT TRUE, SET FALSE;
  CREATE ROLE cloud_master LOGIN CREATEROLE;
  SET SESSION AUTHORIZATION cloud_master; CREATE ROLE app LOGIN; RESET SESSION AUTHORIZATION;`;

const TABLES = `
  SELECT n.nspname AS schema, c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm') AND n.nspname IN ('public', 'rental', 'sales', 'hidden') ORDER BY 1, 2`;

type Rows = readonly Readonly<Record<string, unknown>>[];
type Query = (sql: string) => Promise<Rows>;

const sqlOf = (name: string) => readFile(join(import.meta.dirname, 'postgres', `${name}.sql`), 'utf8');
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

interface Pair {
  readonly role: string;
  readonly database: string;
  readonly schema: string;
  readonly name: string;
  /** Verbs, and `AS` for what it can read after SET ROLE to any other role. */
  readonly can: ReadonlySet<string>;
}

/** What every role can do with every table, asked of the server in sessions of that role. */
class Oracle {
  readonly #query: Query;

  constructor(query: Query) {
    this.#query = query;
  }

  async pairs(database: string): Promise<readonly Pair[]> {
    const pairs: Pair[] = [];
    const roles = await this.#query('SELECT rolname::text AS name FROM pg_roles ORDER BY 1');
    const names = roles.map(({ name }) => String(name));
    for (const role of names) {
      const connects = await this.#holds(role, `has_database_privilege(current_database(), 'CONNECT')`);
      const others: string[] = [];
      for (const other of names) {
        const isAllowed = (await this.#attempt(role, `SET LOCAL ROLE ${quoted(other)}`)) !== undefined;
        if (other !== role && isAllowed) others.push(other);
      }
      for (const { schema, name } of await this.#query(TABLES)) {
        const where = { role, database, schema: String(schema), name: String(name) };
        pairs.push({ ...where, can: connects ? await this.#can(where, others) : new Set() });
      }
    }
    return pairs;
  }

  async #can({ role, schema, name }: Omit<Pair, 'can'>, others: readonly string[]): Promise<Pair['can']> {
    const table = `${quoted(schema)}.${quoted(name)}`;
    const can = new Set<string>();
    if (await this.#reads(role, table)) can.add('CAN_READ');
    if (await this.#writes(role, table)) can.add('CAN_WRITE');
    for (const other of others) {
      if (await this.#reads(role, table, `SET LOCAL ROLE ${quoted(other)}`)) can.add('AS');
    }
    return can;
  }

  /** Reads the columns that it may read: the tables below a view are checked only then. */
  async #reads(role: string, table: string, ...before: readonly string[]): Promise<boolean> {
    const columns = `SELECT string_agg(quote_ident(attname), ', ') AS list FROM pg_attribute
      WHERE attrelid = '${table}'::regclass AND attnum > 0 AND has_column_privilege(attrelid, attnum, 'SELECT')`;
    const [found] = (await this.#attempt(role, ...before, columns)) ?? [];
    const list = found?.['list'];
    if (typeof list !== 'string') return false;
    return (await this.#attempt(role, ...before, `SELECT ${list} FROM ${table} LIMIT 0`)) !== undefined;
  }

  async #writes(role: string, table: string): Promise<boolean> {
    const holds = await this.#holds(
      role,
      `has_table_privilege('${table}', 'DELETE, TRUNCATE') OR has_any_column_privilege('${table}', 'INSERT, UPDATE')`,
    );
    const [view] = await this.#query(`SELECT FROM pg_class WHERE oid = '${table}'::regclass
      AND reloptions::text LIKE '%security_invoker%' AND pg_relation_is_updatable(oid, false) <> 0`);
    if (!holds || view === undefined) return holds;
    for (const statement of [`INSERT INTO ${table} DEFAULT VALUES`, `DELETE FROM ${table}`]) {
      if ((await this.#attempt(role, `EXPLAIN ${statement}`)) !== undefined) return true;
    }
    return false;
  }

  async #holds(role: string, condition: string): Promise<boolean> {
    return (await this.#attempt(role, `SELECT 1 WHERE ${condition}`))?.length === 1;
  }

  /** The last answer to statements of a session of the role; undefined if one is refused. */
  async #attempt(role: string, ...statements: readonly string[]): Promise<Rows | undefined> {
    await this.#query(`BEGIN; SET LOCAL SESSION AUTHORIZATION ${quoted(role)}`);
    try {
      let rows: Rows = [];
      for (const statement of statements) rows = await this.#query(statement);
      return rows;
    } catch {
      return undefined;
    } finally {
      await this.#query('ROLLBACK');
    }
  }
}

describe.each([
  ['the newest version', undefined],
  ['version 15', installedPostgres(15)],
])('the rights that the PostgreSQL connector reports, on %s', (_version, binaries) => {
  const describeWithServer = describeUnless(postgresMissing(binaries));

  describeWithServer('of every role on every table', () => {
    let directory: string;
    let server: PostgresProcess;
    let run: TestRun;
    let pairs: readonly Pair[];

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'plexus-pg-'));
      await chmod(directory, 0o777);
      server = new PostgresProcess('db', join(directory, 'db'), {}, binaries);
      await server.initialise();
      await server.start();
      const [{ version } = {}] = await server.rows(
        `SELECT current_setting('server_version_num')::int AS version`,
      );
      await server.rows(await sqlOf('roles'));
      if (Number(version) >= 160_000) await server.rows(SINCE_16);
      for (const name of DATABASES) await server.rows(`CREATE DATABASE ${name}`);
      for (const name of DATABASES) {
        for (const schema of SCHEMAS) {
          const sql = await sqlOf(schema);
          await server.session(name, (query) => query(sql));
        }
      }
      await server.rows(
        'REVOKE CONNECT ON DATABASE closed FROM PUBLIC; GRANT CONNECT ON DATABASE closed TO ann, cyd',
      );
      run = await runConnector(postgresConnector, {
        config: {
          host: server.directory,
          port: SOCKET_PORT,
          user: 'postgres',
          password_env: 'PG',
          instance: 'pg',
        },
        environment: { PG: PostgresProcess.password },
      });
      const asked = DATABASES.map((name) => server.session(name, (query) => new Oracle(query).pairs(name)));
      pairs = (await Promise.all(asked)).flat();
    });
    afterAll(async () => {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    });

    const keyOf = ({ database, schema, name }: Pair) =>
      `pg/${database}/${schema}.${name.includes('.') ? quoted(name) : name}`;
    const has = (verb: string) =>
      new Set(
        run.relationships.filter((each) => each.verb === verb).map(({ from, to }) => `${from.key} ${to.key}`),
      );

    it('are complete', () => {
      expect(connectorMatchers.toHaveCompleted(run)).toMatchObject({ pass: true });
      expect(pairs.length).toBeGreaterThan(1_000);
    });

    it.each(['CAN_READ', 'CAN_WRITE'])('are those of a session of the role: %s', (verb) => {
      const reported = has(verb);

      const wrong = pairs.filter(
        (pair) => reported.has(`pg/${pair.role} ${keyOf(pair)}`) !== pair.can.has(verb),
      );
      expect(wrong.map((pair) => `${pair.role} ${keyOf(pair)}: ${[...pair.can].join()}`)).toEqual([]);
      expect(pairs.filter(({ can }) => can.has(verb)).length).toBeGreaterThan(100);
    });

    it('name what needs SET ROLE by a verb of its own', () => {
      const [own, assumed] = [has('CAN_READ'), has('CAN_READ_AS')];

      const wrong = pairs.filter((pair) => {
        const id = `pg/${pair.role} ${keyOf(pair)}`;
        const isReported = own.has(id) || assumed.has(id);
        return isReported !== (pair.can.has('CAN_READ') || pair.can.has('AS'));
      });
      expect(wrong.map((pair) => `${pair.role} ${keyOf(pair)}`)).toEqual([]);
      expect(assumed.size).toBeGreaterThan(20);
    });
  });
});
