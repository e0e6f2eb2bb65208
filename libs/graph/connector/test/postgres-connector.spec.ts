import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PostgresServer } from '#graph/testing';
import { postgresConnector } from '../src/connectors/postgres/postgres-connector.ts';
import { connectorMatchers } from '../src/kit/matchers.ts';
import { emittedEntity, runConnector, type TestRun } from '../src/kit/run-connector.ts';

const SCHEMA = `
  CREATE ROLE analysts NOLOGIN;
  CREATE ROLE writers NOLOGIN;
  CREATE ROLE ann LOGIN PASSWORD 'ann-password' IN ROLE analysts;
  CREATE ROLE auditor LOGIN IN ROLE pg_read_all_data;
  CREATE ROLE expired LOGIN PASSWORD 'expired-password' VALID UNTIL '2001-01-01';
  CREATE ROLE outsider LOGIN PASSWORD 'outsider-password';
  CREATE TABLE customers (id int, email text);
  COMMENT ON TABLE customers IS 'who buys (@pii)';
  CREATE TABLE orders (id int, total numeric);
  CREATE VIEW totals AS SELECT sum(total) FROM orders;
  CREATE SCHEMA hr;
  CREATE TABLE hr.salaries (person text, amount numeric);
  GRANT SELECT ON customers TO analysts;
  GRANT SELECT ON orders TO PUBLIC;
  GRANT INSERT, UPDATE ON orders TO writers WITH GRANT OPTION;
  GRANT SELECT (person) ON hr.salaries TO analysts;
`;

describe('the PostgreSQL connector', () => {
  let server: PostgresServer;
  let run: TestRun;

  const runAs = (user: string, password: string, more: object = {}) =>
    runConnector(postgresConnector, {
      config: { host: '127.0.0.1', port: server.port, user, password_env: 'PG', instance: 'pg', ...more },
      environment: { PG: password },
    });
  const runOnCrm = () => runAs('postgres', server.password, { databases: ['crm'], pii: ['hr.*'] });

  beforeAll(async () => {
    server = await PostgresServer.start();
    await server.run('postgres', 'CREATE DATABASE crm');
    await server.run('crm', SCHEMA);
    run = await runOnCrm();
  });
  afterAll(() => server.stop());

  it('completes', () => {
    expect(run.report.steps.map(({ id, status, reason }) => [id, status, reason])).toEqual([
      ['roles', 'done', undefined],
      ['databases', 'done', undefined],
      ['tables', 'done', undefined],
      ['grants', 'done', undefined],
      ['functions', 'done', undefined],
    ]);
    expect(connectorMatchers.toHaveCompleted(run)).toMatchObject({ pass: true });
  });

  it('reads roles, their privileges and memberships', () => {
    expect(emittedEntity(run, 'db_role', 'pg/postgres').properties).toMatchObject({
      superuser: true,
      name: 'postgres',
    });
    expect(emittedEntity(run, 'db_role', 'pg/analysts').properties).toMatchObject({
      superuser: false,
      can_login: false,
      predefined: false,
    });
    expect(emittedEntity(run, 'db_role', 'pg/pg_read_all_data').properties).toMatchObject({
      predefined: true,
    });
    expect(connectorMatchers.toHaveRelated(run, 'pg/ann MEMBER_OF pg/analysts')).toMatchObject({
      pass: true,
    });
  });

  it('reads databases, schemas, tables and views with their owners', () => {
    const tables = run.entities.filter(({ type }) => type === 'table').map(({ key }) => key);

    expect(tables).toEqual(
      ['hr.salaries', 'public.customers', 'public.orders', 'public.totals'].map((t) => `pg/crm/${t}`),
    );
    expect(emittedEntity(run, 'table', 'pg/crm/public.totals').properties).toMatchObject({ kind: 'view' });
    expect(emittedEntity(run, 'table', 'pg/crm/public.customers').properties['columns']).toEqual([
      'id',
      'email',
    ]);
    for (const sentence of [
      'pg/crm CONTAINS pg/crm/hr',
      'pg/crm/hr CONTAINS pg/crm/hr.salaries',
      'pg/postgres OWNS pg/crm',
      'pg/postgres OWNS pg/crm/hr.salaries',
    ]) {
      expect(connectorMatchers.toHaveRelated(run, sentence)).toMatchObject({ pass: true });
    }
  });

  it('marks personal data by comment and by glob', () => {
    const marked = run.entities.filter(({ properties }) => properties['contains_pii'] === true);

    expect(marked.map(({ properties }) => properties['name'])).toEqual(['hr.salaries', 'public.customers']);
  });

  it('reads read and write privileges by table, column, PUBLIC and predefined role', () => {
    const given = run.relationships
      .filter(({ verb }) => verb.startsWith('CAN_READ') || verb.startsWith('CAN_WRITE'))
      .map(({ from, verb, to, properties }) =>
        [from.key, verb, to.key, String(properties['privileges']), properties['columns'] ?? '']
          .join(' ')
          .trim(),
      );

    // Nobody but the superuser and those who read everything may use the schema hr.
    expect(given.filter((sentence) => sentence.includes('hr.salaries'))).toEqual([
      'pg/auditor CAN_READ pg/crm/hr.salaries SELECT',
      'pg/pg_read_all_data CAN_READ pg/crm/hr.salaries SELECT',
      'pg/pg_write_all_data CAN_WRITE pg/crm/hr.salaries DELETE,INSERT,UPDATE',
      'pg/postgres CAN_READ pg/crm/hr.salaries SELECT',
      'pg/postgres CAN_WRITE pg/crm/hr.salaries DELETE,INSERT,TRUNCATE,UPDATE',
    ]);
    expect(given.filter((sentence) => /^pg\/(ann|analysts|public|writers) /.test(sentence))).toEqual([
      'pg/analysts CAN_READ pg/crm/public.customers SELECT',
      'pg/analysts CAN_READ pg/crm/public.orders SELECT',
      'pg/ann CAN_READ pg/crm/public.customers SELECT',
      'pg/ann CAN_READ pg/crm/public.orders SELECT',
      'pg/public CAN_READ pg/crm/public.orders SELECT',
      'pg/writers CAN_READ pg/crm/public.orders SELECT',
      'pg/writers CAN_WRITE pg/crm/public.orders INSERT,UPDATE',
    ]);
  });

  it('marks a right that an access list gives to the role itself', () => {
    const direct = run.relationships
      .filter(({ verb, to }) => verb === 'CAN_READ' && to.key === 'pg/crm/public.customers')
      .map(({ from, properties }) => [from.key, properties['direct']]);

    expect(direct).toEqual([
      ['pg/analysts', true],
      ['pg/ann', false],
      ['pg/auditor', false],
      ['pg/pg_read_all_data', false],
      ['pg/postgres', true],
    ]);
  });

  it('follows views to the tables they read, and marks those over personal data', async () => {
    await server.run('postgres', 'CREATE DATABASE views');
    await server.run(
      'views',
      `CREATE TABLE customers (id int, email text);
       CREATE TABLE orders (id int);
       CREATE VIEW contacts AS SELECT email FROM customers;
       CREATE MATERIALIZED VIEW reports AS SELECT count(*) FROM contacts, orders;
       CREATE VIEW plain AS SELECT id FROM orders;
       GRANT SELECT ON reports TO analysts;`,
    );

    const found = await runAs('postgres', server.password, {
      databases: ['views'],
      pii: ['public.customers'],
    });

    const marked = found.entities.filter(({ properties }) => properties['contains_pii'] === true);
    expect(marked.map(({ key }) => key).sort()).toEqual(
      ['contacts', 'customers', 'reports'].map((name) => `pg/views/public.${name}`),
    );
    expect(
      found.relationships
        .filter(({ verb }) => verb === 'DEPENDS_ON')
        .map(({ from, to }) => `${from.key.slice(16)} ${to.key.slice(16)}`)
        .sort(),
    ).toEqual(['contacts customers', 'plain orders', 'reports contacts', 'reports orders']);
    expect(
      connectorMatchers.toHaveRelated(found, 'pg/analysts CAN_READ pg/views/public.reports'),
    ).toMatchObject({ pass: true });
  });

  it('distinguishes tables with dots in their names', async () => {
    await server.run('postgres', 'CREATE DATABASE dots');
    await server.run(
      'dots',
      `CREATE SCHEMA "a.b"; CREATE SCHEMA a; CREATE TABLE "a.b".c (); CREATE TABLE a."b.c" ();
       GRANT USAGE ON SCHEMA "a.b" TO analysts; GRANT SELECT ON "a.b".c TO analysts;`,
    );

    const found = await runAs('postgres', server.password, { databases: ['dots'] });

    const keys = found.entities.filter(({ type }) => type === 'table').map(({ key }) => key);
    expect(keys.sort()).toEqual(['pg/dots/"a.b".c', 'pg/dots/a."b.c"']);
    const readable = found.relationships.filter(
      ({ from, verb }) => from.key === 'pg/analysts' && verb === 'CAN_READ',
    );
    expect(readable.map(({ to }) => to.key)).toEqual(['pg/dots/"a.b".c']);
  });

  it('gives the same result when run again', async () => {
    const again = await runOnCrm();

    expect(again.entities).toEqual(run.entities);
    expect(again.relationships).toEqual(run.relationships);
  });

  it('requires only a login role', async () => {
    const plain = await runAs('ann', 'ann-password', { databases: ['crm'] });

    expect(plain.report.status).toBe('complete');
    expect(plain.entities.filter(({ type }) => type === 'table')).toHaveLength(4);
  });

  it.each([
    ['postgres', 'wrong-password', 'password authentication failed for user "postgres"'],
    ['expired', 'expired-password', 'password authentication failed for user "expired"'],
    ['nobody', 'x-x-x', 'password authentication failed for user "nobody"'],
  ])('fails for %s with %s, and says why', async (user, password, reason) => {
    const { report } = await runAs(user, password);

    expect(report).toMatchObject({ status: 'failed', entities: 0 });
    expect(report.steps[0]).toMatchObject({ status: 'failed', reason });
    expect(JSON.stringify(report)).not.toContain(password);
  });

  it('reads the other databases if one refuses it, and names that one', async () => {
    await server.run('postgres', 'CREATE DATABASE closed');
    await server.run('postgres', 'REVOKE CONNECT ON DATABASE closed FROM PUBLIC');

    const { report, entities, unread } = await runAs('outsider', 'outsider-password');
    const excluded = await runAs('outsider', 'outsider-password', { exclude: ['clo?ed'] });
    const alone = await runAs('outsider', 'outsider-password', { databases: ['closed'] });

    const reason = 'permission denied for database "closed"';
    expect(report).toMatchObject({
      status: 'partial',
      partial_types: [],
      warnings: [`tables: the database closed is not read: ${reason}`],
    });
    expect(unread.map(({ type, keyPrefix }) => `${type} ${keyPrefix}`)).toEqual([
      'schema pg/closed/',
      'table pg/closed/',
      'db_function pg/closed/',
    ]);
    expect(entities.filter(({ key }) => key.startsWith('pg/crm/public.'))).toHaveLength(3);
    expect(excluded.report).toMatchObject({ status: 'complete' });
    expect(alone.report.steps[2]).toMatchObject({ status: 'failed', reason });
  });

  it('keeps a database that accepts no connections, and names it', async () => {
    await server.run('postgres', 'CREATE DATABASE resting ALLOW_CONNECTIONS false');
    try {
      const { report, entities, unread } = await runAs('postgres', server.password);

      expect(report).toMatchObject({
        status: 'partial',
        warnings: [
          'tables: the database resting is not read: database "resting" is not currently accepting connections',
        ],
      });
      expect(entities.filter(({ key }) => key === 'pg/resting')).toHaveLength(1);
      expect(unread.map(({ keyPrefix }) => keyPrefix)).toContain('pg/resting/');
    } finally {
      await server.run('postgres', 'DROP DATABASE resting');
    }
  });

  it('fails without a server', async () => {
    const { report } = await runAs('postgres', 'x-x-x', { port: 1 });

    expect(report.steps[0]?.reason).toContain('ECONNREFUSED');
  });
});
