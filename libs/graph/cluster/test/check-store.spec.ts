import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { PostgresServer } from '#graph/testing';
import { NodeDisk } from '#platform/disk';
import { Secret } from '#platform/foundation';
import { effort } from '#testing';
import { parseStoreAddress } from '../src/store-address.ts';
import { type CheckedRow, checkStore } from '../src/check/check-store.ts';

/** Minimum duration of each check. */
const CHECK_MS = 300;

/** Checks that write more than 100 MB. */
const LARGE = ['parts', 'base'];
const CHECKS = [
  ...['answers', 'parts', 'repeats', 'hung', 'sessions', 'leases', 'base'],
  ...['G0', 'G1a', 'G1b', 'G1c', 'IMP', 'PMP', 'OTV', 'FR', 'LU', 'WS', 'soak'],
];
const CHECKED = effort(
  CHECKS,
  CHECKS.filter((id) => !LARGE.includes(id)),
);

describe('checkStore', () => {
  let server: PostgresServer;
  let directory: string;

  beforeAll(async () => {
    server = await PostgresServer.start();
    directory = await mkdtemp(join(tmpdir(), 'plexus-storecheck-'));
  });
  afterEach(() => server.run('postgres', 'DROP EVENT TRIGGER IF EXISTS lie'));
  afterAll(async () => {
    await server.stop();
    await rm(directory, { recursive: true });
  });

  async function check(...only: string[]): Promise<readonly CheckedRow[]> {
    const rows: CheckedRow[] = [];
    await checkStore({
      address: parseStoreAddress(
        `postgres://postgres@127.0.0.1:${String(server.port)}/postgres`,
        new Secret(server.password),
      ),
      disk: new NodeDisk(),
      directory: join(directory, 'copies'),
      only: only.length === 0 ? undefined : only,
      checkMs: CHECK_MS,
      soakMs: 2 * CHECK_MS,
      signal: new AbortController().signal,
      onDatabase: () => Promise.resolve(),
      onRow: (row) => {
        rows.push(row);
        return Promise.resolve();
      },
    });
    return rows;
  }

  it('reports every check as held on PostgreSQL, and leaves nothing behind', async () => {
    const rows = await check(...effort([], CHECKED));
    const schemas = await server.rows(
      'postgres',
      `SELECT nspname FROM pg_namespace WHERE nspname LIKE 'plexus%'`,
    );

    expect(rows.map(({ id, verdict, violations }) => [id, verdict, violations])).toEqual(
      CHECKED.map((id) => [id, 'held', []]),
    );
    expect(schemas).toEqual([]);
    expect(await readdir(directory)).toEqual([]);
  });

  /** Alters a table of every new store in the database as soon as the table exists. */
  async function lie(table: string, event: string, body: string): Promise<void> {
    await server.run(
      'postgres',
      `CREATE OR REPLACE FUNCTION lying() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN ${body} END $f$;
       CREATE OR REPLACE FUNCTION lie() RETURNS event_trigger LANGUAGE plpgsql AS $f$
       DECLARE made record;
       BEGIN
         FOR made IN SELECT * FROM pg_event_trigger_ddl_commands() LOOP
           IF made.object_identity LIKE '%.${table}' THEN
             EXECUTE format('CREATE TRIGGER lying ${event} ON %s FOR EACH ROW EXECUTE FUNCTION public.lying()',
               made.object_identity);
           END IF;
         END LOOP;
       END $f$;
       CREATE EVENT TRIGGER lie ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION lie()`,
    );
  }

  it.each([
    {
      what: 'a lease is given to all',
      table: 'lease',
      event: 'BEFORE INSERT',
      body: `EXECUTE format('DELETE FROM %I.lease WHERE name = $1', TG_TABLE_SCHEMA) USING NEW.name; RETURN NEW;`,
      ids: ['leases'],
      told: /\d nodes held a lease at once/,
    },
    {
      what: 'a lease is not released',
      table: 'lease',
      event: 'BEFORE DELETE',
      body: 'RETURN NULL;',
      ids: ['leases'],
      told: /what was released could not be held/,
    },
    {
      what: 'published batches are lost',
      table: 'published',
      event: 'AFTER UPDATE',
      body: `IF NEW.seq / 23 > OLD.seq / 23 THEN
          EXECUTE format('UPDATE %I.head SET seq = $1', TG_TABLE_SCHEMA) USING NEW.seq - 1;
          EXECUTE format('DELETE FROM %I.batch WHERE seq = $1', TG_TABLE_SCHEMA) USING NEW.seq;
          EXECUTE format('DELETE FROM %I.frame WHERE seq = $1', TG_TABLE_SCHEMA) USING NEW.seq;
        END IF; RETURN NULL;`,
      ids: ['LU'],
      told: /batches were lost that had been published|batch \d+ of the shared log is missing/,
    },
    {
      what: 'a byte is another',
      table: 'frame',
      event: 'BEFORE INSERT',
      body: `IF NEW.seq % 23 = 0 THEN NEW.body = set_byte(NEW.body, 20, 1 - get_byte(NEW.body, 20)); END IF; RETURN NEW;`,
      ids: ['FR'],
      told: /is damaged/,
    },
  ])('says what is broken when $what', async ({ table, event, body, ids, told }) => {
    await lie(table, event, body);

    const rows = await check(...ids);

    expect(rows.map(({ id, verdict }) => [id, verdict])).toEqual(ids.map((id) => [id, 'broken']));
    expect(rows.flatMap(({ violations }) => violations).join('\n')).toMatch(told);
  });
});
