/** Several databases on one server, by the unmodified driver of Neo4j. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import neo4j, { type Driver } from 'neo4j-driver';
import { TestService } from './support/test-service.ts';

let directory: string;
let service: TestService;
let driver: Driver;

async function start(): Promise<void> {
  const audit = join(directory, 'audit.jsonl');
  service = await TestService.start({
    directory: join(directory, 'data'),
    environment: { PLEXUS_BOLT_PORT: '0', PLEXUS_AUDIT: audit },
  });
  driver = neo4j.driver(`bolt://${service.boltAddress}`, undefined, { useBigInt: true });
}

async function end(): Promise<void> {
  await driver.close();
  await service.stop();
}

async function run(text: string, database?: string, parameters = {}) {
  const { records } = await driver.executeQuery(text, parameters, database === undefined ? {} : { database });
  return records.map((record) => record.toObject() as Record<string, unknown>);
}

async function failureOf(text: string, database?: string, parameters = {}): Promise<string> {
  try {
    await run(text, database, parameters);
  } catch (error) {
    return (error as { readonly code: string }).code;
  }
  return 'none';
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-databases-'));
  await start();
});
afterEach(async () => {
  await end();
  await rm(directory, { recursive: true, force: true });
});

describe('CREATE DATABASE', () => {
  it('makes a graph of its own, which is there after a restart', async () => {
    await run('CREATE DATABASE `db-scan-1` IF NOT EXISTS', 'system');
    await run('CREATE (:Host {name: $name})', 'db-scan-1', { name: 'web' });
    await run('CREATE CONSTRAINT FOR (h:Host) REQUIRE h.name IS UNIQUE', 'db-scan-1');
    await run('CREATE (:Other)');
    await end();
    await start();

    expect(await run('MATCH (n) RETURN labels(n) AS labels, n.name AS name', 'DB-scan-1')).toEqual([
      { labels: ['Host'], name: 'web' },
    ]);
    expect(await failureOf(`CREATE (:Host {name: 'web'})`, 'db-scan-1')).toBe(
      'Neo.ClientError.Schema.ConstraintValidationFailed',
    );
    expect(await run('MATCH (n) RETURN labels(n) AS labels')).toEqual([{ labels: ['Other'] }]);
    expect(await run('SHOW DATABASES YIELD name, default', 'system')).toEqual([
      { name: 'neo4j', default: true },
      { name: 'db-scan-1', default: false },
      { name: 'system', default: false },
    ]);
  });

  it('takes a parameter, waits if asked, and is done once it is asked twice', async () => {
    const made = await run('CREATE DATABASE $name WAIT 10 SECONDS', undefined, { name: 'Scan.Two' });
    const again = await failureOf('CREATE DATABASE scan.two');
    await run('CREATE (:Host)', 'scan.two');
    await run('CREATE DATABASE scan.two IF NOT EXISTS NOWAIT;');
    const kept = await run('MATCH (n) RETURN count(n) AS count', 'scan.two');
    await run('CREATE OR REPLACE DATABASE scan.two');

    expect(made).toMatchObject([{ state: 'CaughtUp', success: true }]);
    expect(again).toBe('Neo.ClientError.Database.ExistingDatabaseFound');
    expect(kept).toEqual([{ count: 1n }]);
    expect(await run('MATCH (n) RETURN count(n) AS count', 'scan.two')).toEqual([{ count: 0n }]);
  });

  it.each([
    ['CREATE DATABASE neo4j', 'Neo.ClientError.Database.ExistingDatabaseFound'],
    ['CREATE DATABASE ab', 'Neo.ClientError.Statement.ArgumentError'],
    ['CREATE DATABASE `../up`', 'Neo.ClientError.Statement.ArgumentError'],
    ['CREATE DATABASE `.removed-x`', 'Neo.ClientError.Statement.ArgumentError'],
    ['CREATE DATABASE `system-2`', 'Neo.ClientError.Statement.ArgumentError'],
    ['CREATE DATABASE $missing', 'Neo.ClientError.Statement.ParameterMissing'],
    ['CREATE DATABASE abc OPTIONS {}', 'Neo.ClientError.Statement.SyntaxError'],
    ['CREATE OR REPLACE DATABASE plexus', 'Neo.ClientError.Statement.UnsupportedAdministrationCommand'],
    ['DROP DATABASE system', 'Neo.ClientError.Statement.UnsupportedAdministrationCommand'],
    ['DROP DATABASE abc', 'Neo.ClientError.Database.DatabaseNotFound'],
    ['DROP DATABASE abc DUMP DATA', 'Neo.ClientError.Statement.UnsupportedAdministrationCommand'],
  ])('is refused: %s', async (text, code) => {
    expect(await failureOf(text)).toBe(code);
    expect(await readdir(join(directory, 'data'))).not.toContain('databases');
  });

  it('is refused beside other statements, and in a session that reads', async () => {
    const reading = driver.session({ defaultAccessMode: neo4j.session.READ });
    const writing = driver.session();
    const after = await writing.beginTransaction();
    await after.run('RETURN 1');

    await expect(reading.run('CREATE DATABASE abc')).rejects.toMatchObject({
      code: 'Neo.ClientError.Statement.AccessMode',
    });
    await expect(after.run('CREATE DATABASE abc')).rejects.toMatchObject({
      code: 'Neo.ClientError.Transaction.ForbiddenDueToTransactionType',
    });
    const before = await writing.beginTransaction();
    await before.run('CREATE DATABASE abc');
    await expect(before.run('CREATE (:A)')).rejects.toMatchObject({
      code: 'Neo.ClientError.Transaction.ForbiddenDueToTransactionType',
    });
    await reading.close();
    await writing.close();
    expect(await failureOf('RETURN 1', 'abc')).toBe('Neo.ClientError.Database.DatabaseNotFound');
  });

  it('is done by the commit, not by a rollback', async () => {
    const session = driver.session();
    const dropped = await session.beginTransaction();
    await dropped.run('CREATE DATABASE abc');
    await dropped.rollback();
    const before = await failureOf('RETURN 1', 'abc');
    await session.run('CREATE DATABASE abc');
    await session.close();

    expect(before).toBe('Neo.ClientError.Database.DatabaseNotFound');
    expect(await failureOf('RETURN 1', 'abc')).toBe('none');
  });

  it('leaves a path that has the name', async () => {
    expect(await run('CREATE DATABASE = (:A)-[:B]->(:C) RETURN length(DATABASE) AS length')).toEqual([
      { length: 1n },
    ]);
  });
});

describe('DROP DATABASE', () => {
  it('removes the graph with its files; the next one of the name is empty', async () => {
    await run('CREATE DATABASE scan');
    await run('CREATE (:Host)', 'scan');
    await run('DROP DATABASE scan IF EXISTS DESTROY DATA');

    expect(await readdir(join(directory, 'data', 'databases'))).toEqual([]);
    expect(await failureOf('RETURN 1', 'scan')).toBe('Neo.ClientError.Database.DatabaseNotFound');
    await run('DROP DATABASE scan IF EXISTS');
    await run('CREATE DATABASE scan');
    expect(await run('MATCH (n) RETURN count(n) AS count', 'scan')).toEqual([{ count: 0n }]);
  });

  it('ends at the next start, if the process was killed meanwhile', async () => {
    await run('CREATE DATABASE scan');
    await run('CREATE DATABASE other');
    await end();
    const databases = join(directory, 'data', 'databases');
    await rename(join(databases, 'scan'), join(databases, '.removed-scan'));
    await start();

    expect(await readdir(databases)).toEqual(['other']);
    expect(await run('SHOW DATABASES YIELD name')).toEqual(
      ['neo4j', 'other', 'system'].map((name) => ({ name })),
    );
  });

  it('ends what is open there', async () => {
    await run('CREATE DATABASE scan');
    const session = driver.session({ database: 'scan' });
    const transaction = await session.beginTransaction();
    await transaction.run('CREATE (:Host)');
    await run('DROP DATABASE scan');

    await expect(transaction.commit()).rejects.toMatchObject({
      code: 'Neo.TransientError.General.DatabaseUnavailable',
    });
    await session.close();
  });
});

it('writes an event for each database, and tells changes in one by its name', async () => {
  await run('CREATE DATABASE scan');
  await run('CREATE (:Host)', 'scan');
  await run('DROP DATABASE scan');

  const lines = (await readFile(join(directory, 'audit.jsonl'), 'utf8')).trim().split('\n');
  const targets = lines.map((line) => (JSON.parse(line) as { readonly target?: string }).target);
  expect(targets).toEqual(['database/scan', expect.stringMatching(/^database\/scan \S/), 'database/scan']);
});

it('takes the bookmarks of all databases', async () => {
  await run('CREATE DATABASE scan');
  const first = driver.session({ database: 'scan' });
  await first.run('CREATE (:Host)');
  const bookmarks = first.lastBookmarks();
  await first.close();
  await end();
  await start();
  const second = driver.session({ bookmarks });

  await expect(second.run('RETURN 1 AS one')).resolves.toBeDefined();
  await second.close();
  const elsewhere = driver.session({ bookmarks: ['0123456789abcdef0123.1'] });
  await expect(elsewhere.run('RETURN 1')).rejects.toMatchObject({
    code: 'Neo.ClientError.Transaction.InvalidBookmark',
  });
  await elsewhere.close();
});
