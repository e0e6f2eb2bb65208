import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PostgresServer } from '#graph/testing';
import { postgresConnector } from '../src/connectors/postgres/postgres-connector.ts';
import { emittedEntity, runConnector, type TestRun } from '../src/kit/run-connector.ts';

/** Each in a database of its own, in which the schema `public` is everyone's. */
const CASES = {
  membership: `
    create role readers nologin;
    create table payroll (id int, salary numeric);
    grant select on payroll to readers;
    create role admin_only login; grant readers to admin_only with inherit false, set false, admin true;
    create role set_only login; grant readers to set_only with inherit false, set true;
    create role cloud_master login createrole;
    set session authorization cloud_master; create role app login; reset session authorization;`,
  connect: `
    create role outsider login;
    create table secret_t (id int); grant select on secret_t to outsider;
    do $$ begin execute format('revoke connect on database %I from public', current_database()); end $$;`,
  definer: `
    create table people2 (name text); comment on table people2 is '@pii';
    create table "Odd" (id int); create table other (id int); create table unread (id int);
    create function all_people() returns setof people2 language sql security definer as 'select * from people2';
    create role f_caller login;
    create function parsed() returns bigint language sql security definer begin atomic select count(*) from other; end;
    create function named(a int, b text) returns int language plpgsql security definer as
      $$ begin /* unread */ execute 'select 1 from public . "Odd"'; return 1; -- unread
      end $$;
    create procedure closed() language sql security definer as 'delete from other';
    revoke execute on procedure closed() from public;
    create function as_caller() returns setof people2 language sql as 'select * from people2';
    create function on_change() returns trigger language plpgsql security definer as 'begin return null; end';`,
  pii: `
    create table contact (id int, email text, phone text);
    comment on column contact.email is 'address @pii';
    create table plain (id int, note text);
    comment on column plain.note is 'not@piiish';
    create schema hr; comment on schema hr is 'staff, @PII'; create table hr.person (name text);
    create table events (id int, at date) partition by range (at);
    create table events_1 partition of events for values from ('2024-01-01') to ('2025-01-01');
    create table events_2 partition of events for values from ('2025-01-01') to ('2026-01-01');
    comment on table events_1 is '@pii';
    create table base (name text); create table heir (more int) inherits (base);
    comment on column base.name is '@pii';
    create view over_events with (security_invoker = true) as select * from events;
    create materialized view stored as select * from over_events;`,
  keys: `
    create table parent_t (id int primary key);
    create table child_t (pid int references parent_t, self int);
    create table pair_t (a int, b int, primary key (b, a));
    create table two_t (x int, y int, constraint first foreign key (x, y) references pair_t (b, a),
      constraint "Second" foreign key (y, x) references pair_t (b, a));
    create table parts (id int references parent_t, at int) partition by range (at);
    create table parts_1 partition of parts for values from (1) to (2);
    create sequence s1; create type mood as enum ('a');`,
  dropped: `
    create role leaver; create role ghost; create table kept (id int); grant select on kept to leaver, ghost;
    create schema s; create table s.owned (id int); alter table s.owned owner to ghost;
    delete from pg_authid where rolname = 'ghost';`,
} as const;

describe('the PostgreSQL connector', () => {
  let server: PostgresServer;
  let run: TestRun;

  beforeAll(async () => {
    server = await PostgresServer.start();
    await server.run('postgres', 'alter system set allow_system_table_mods = on');
    for (const [name, sql] of Object.entries(CASES)) {
      await server.run('postgres', `create database "${name}"`);
      await server.run(name, `set allow_system_table_mods = on; ${sql}`);
    }
    run = await runConnector(postgresConnector, {
      config: { host: '127.0.0.1', port: server.port, user: 'postgres', password_env: 'PG', instance: 'pg' },
      environment: { PG: server.password },
    });
  });
  afterAll(() => server.stop());

  /** `from VERB to`, without the names of the server and the database. */
  const sentences = (database: string, ...verbs: readonly string[]) =>
    run.relationships
      .filter(({ verb, to }) => verbs.includes(verb) && to.key.startsWith(`pg/${database}/`))
      .map(({ from, verb, to }) => [from.key, verb, to.key].join(' ').replaceAll(/pg\/(\w+\/)?/g, ''));
  const memberships = () =>
    run.relationships
      .filter(({ verb }) => verb === 'MEMBER_OF')
      .map(({ from, to, properties }) => [`${from.key} ${to.key}`.replaceAll('pg/', ''), { ...properties }]);

  it('completes', () => {
    expect(run.report).toMatchObject({ status: 'complete', warnings: [] });
  });

  it('reads the options of memberships', () => {
    expect(Object.fromEntries(memberships())).toMatchObject({
      'admin_only readers': { admin: true, inherit: false, set: false },
      'set_only readers': { admin: false, inherit: false, set: true },
      'cloud_master app': { admin: true, inherit: false, set: false },
    });
    const ends = run.relationships.filter(({ verb }) => verb === 'CAN_SET_ROLE');
    expect(ends.map(({ from, to }) => `${from.key} ${to.key}`)).toContain('pg/set_only pg/readers');
    expect(ends.map(({ from }) => from.key)).not.toContain('pg/admin_only');
    expect(ends.map(({ from }) => from.key)).not.toContain('pg/cloud_master');
  });

  it('separates what a member reads from what needs SET ROLE', () => {
    const readers = sentences('membership', 'CAN_READ', 'CAN_READ_AS');

    expect(readers).toEqual([
      'pg_read_all_data CAN_READ public.payroll',
      'postgres CAN_READ public.payroll',
      'readers CAN_READ public.payroll',
      'set_only CAN_READ_AS public.payroll',
    ]);
    const [as] = run.relationships.filter(({ verb }) => verb === 'CAN_READ_AS');
    expect(as?.properties).toMatchObject({ as: ['readers'], privileges: ['SELECT'] });
  });

  it('gives no right to a role that cannot connect', () => {
    expect(sentences('connect', 'CAN_READ')).toEqual(['postgres CAN_READ public.secret_t']);
  });

  it('reads functions with the rights of their owner', () => {
    const functions = run.entities.filter(({ type }) => type === 'db_function');

    expect(
      functions.map(({ properties }) => [
        properties['name'],
        properties['tables_from'],
        properties['contains_pii'],
      ]),
    ).toEqual([
      ['public.all_people()', 'text', true],
      ['public.closed()', 'text', false],
      ['public.named(integer, text)', 'text', false],
      ['public.parsed()', 'catalog', false],
    ]);
    expect(sentences('definer', 'DEPENDS_ON')).toEqual([
      'public.all_people() DEPENDS_ON public.people2',
      'public.closed() DEPENDS_ON public.other',
      'public.named(integer, text) DEPENDS_ON public.Odd',
      'public.parsed() DEPENDS_ON public.other',
    ]);
    const callers = sentences('definer', 'CAN_EXECUTE');
    expect(callers).toContain('f_caller CAN_EXECUTE public.all_people()');
    expect(callers).toContain('public CAN_EXECUTE public.all_people()');
    expect(callers.filter((sentence) => sentence.includes('closed'))).toEqual([
      'postgres CAN_EXECUTE public.closed()',
    ]);
  });

  it('finds personal data by comments of columns and schemas, in partitions, heirs, parents and views', () => {
    const marked = run.entities.filter(
      ({ key, properties }) => key.startsWith('pg/pii/') && properties['contains_pii'] === true,
    );

    expect(marked.map(({ properties }) => properties['name'])).toEqual([
      'hr.person',
      'public.base',
      'public.contact',
      'public.events',
      'public.events_1',
      'public.heir',
      'public.over_events',
      'public.stored',
    ]);
    expect(emittedEntity(run, 'table', 'pg/pii/public.contact').properties['pii_columns']).toEqual(['email']);
    expect(emittedEntity(run, 'table', 'pg/pii/public.over_events').properties['security_invoker']).toBe(
      true,
    );
    expect(sentences('pii', 'DEPENDS_ON')).toContain('public.events DEPENDS_ON public.events_1');
  });

  it('reads foreign keys as declared', () => {
    const keys = run.relationships.filter(({ verb }) => verb === 'REFERENCES');

    expect(
      keys.map(({ from, to, key }) => `${from.key} ${to.key} ${key}`.replaceAll('pg/keys/public.', '')),
    ).toEqual([
      'child_t parent_t child_t_pid_fkey',
      'parts parent_t parts_id_fkey',
      'two_t pair_t Second',
      'two_t pair_t first',
    ]);
    expect(keys.find(({ key }) => key === 'Second')?.properties).toMatchObject({
      columns: ['y', 'x'],
      referenced_columns: ['b', 'a'],
    });
  });

  it('reads tables whose access list or owner is a dropped role', () => {
    expect(sentences('dropped', 'CAN_READ')).toContain('leaver CAN_READ public.kept');
    expect(sentences('dropped', 'OWNS')).toEqual([
      'pg_database_owner OWNS public',
      'postgres OWNS s',
      'postgres OWNS public.kept',
    ]);
  });
});
