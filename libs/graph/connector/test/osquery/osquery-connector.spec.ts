import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runConnector } from '#graph/connector';
import { NodeDisk } from '#platform/disk';
import { osqueryConnector } from '../../src/connectors/osquery/osquery-connector.ts';
import { emittedEntity, type TestRun } from '../../src/kit/run-connector.ts';

interface Line {
  readonly name: string;
  readonly action: string;
  readonly columns: Readonly<Record<string, string>>;
}

const TYPE = osqueryConnector(new NodeDisk());
const own = (name: string): string => join(import.meta.dirname, name);
const run = (file: string): Promise<TestRun> => runConnector(TYPE, { config: { file } });
const keysOf = ({ entities }: TestRun, type: string) =>
  entities.filter((each) => each.type === type).map(({ key }) => key);

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-osquery-'));
});
afterAll(() => rm(directory, { recursive: true }));

let written = 0;
async function runLines(...lines: readonly object[]): Promise<TestRun> {
  const file = join(directory, `${written++}.log`);
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return run(file);
}

const base = { name: 'files', hostIdentifier: 'web-1', unixTime: 1, epoch: 0, counter: 0 };
const change = (action: string, path: string, more: object = {}) => ({
  ...base,
  ...more,
  action,
  columns: { path },
});
const pathsOf = ({ entities }: TestRun) =>
  entities.flatMap(({ type, properties }) => (type === 'osquery_files' ? [properties['path']] : [])).sort();

describe('the log of results of osquery 5.20', () => {
  it('has the rows that were added and not removed', async () => {
    const lines = (await readFile(own('results.ndjson'), 'utf8')).trim().split('\n');
    const events = lines.map((line) => JSON.parse(line) as Line);
    const left = (name: string): number => {
      const of = events.filter((event) => event.name === name);
      return (
        of.filter(({ action }) => action === 'added').length -
        of.filter(({ action }) => action === 'removed').length
      );
    };
    const found = await run(own('results.ndjson'));

    expect(found.report.status).toBe('complete');
    expect(keysOf(found, 'deb_package')).toHaveLength(left('deb'));
    expect(keysOf(found, 'local_user')).toHaveLength(left('pack_inv_users'));
    expect(keysOf(found, 'local_group')).toHaveLength(left('groups'));
    expect(pathsOf(found)).toEqual(['/srv/watched/b', '/srv/watched/c']);
    expect(keysOf(found, 'deb_package')).toContain('debian/adduser@3.134?arch=all&distro=debian-12');
    expect(emittedEntity(found, 'local_user', 'vm/root').properties).toMatchObject({
      uid: 0,
      shell: '/bin/bash',
    });
    expect(found.relationships.filter(({ verb }) => verb === 'MEMBER_OF').length).toBeGreaterThan(
      left('pack_inv_users') - 1,
    );
  });

  it('takes a joined row with ids of users for what it is', async () => {
    const row = (name: string, columns: object) => ({ ...base, name, action: 'added', columns });
    const found = await runLines(
      row('users', { uid: '7', gid: '9', username: 'ann', directory: '/home/ann' }),
      row('groups', { gid: '9', groupname: 'ops' }),
      row('user_groups', { uid: '7', gid: '9' }),
      row('user_groups', { uid: '8', gid: '9' }),
      row('processes', { pid: '1', name: 'sshd', path: '/usr/sbin/sshd', uid: '7', gid: '9' }),
      row('owners', { pid: '1', uid: '7', username: 'ann' }),
    );

    expect(keysOf(found, 'local_user')).toEqual(['web-1/ann']);
    expect(found.relationships.filter(({ verb }) => verb === 'MEMBER_OF')).toHaveLength(1);
    const others = found.entities.filter(({ type }) => type.startsWith('osquery_'));
    expect(others.map(({ type, properties }) => [type, properties['uid'], properties['pid']])).toEqual([
      // Of a user that no row names.
      ['osquery_user_groups', '8', undefined],
      ['osquery_processes', '7', '1'],
      ['osquery_owners', '7', '1'],
    ]);
  });

  it('has the rows of batches and snapshots', async () => {
    const batches = await run(own('batches.ndjson'));
    const snapshots = await run(own('snapshots.ndjson'));

    expect(pathsOf(batches)).toEqual(['/srv/watched/a', '/srv/watched/c']);
    expect(keysOf(batches, 'host')).toEqual(['vm']);
    expect(emittedEntity(snapshots, 'host', 'vm').properties['addresses']).toContain('192.0.2.2');
  });
});

describe('a log of results', () => {
  it('is read in the order of its times, also when it is rotated', async () => {
    const folder = await mkdtemp(join(directory, 'rotated-'));
    const line = (record: object) => `${JSON.stringify(record)}\n`;
    await writeFile(join(folder, 'results.log'), line(change('removed', '/a', { unixTime: 20, counter: 2 })));
    await writeFile(join(folder, 'results.log.1'), line(change('added', '/a')) + line(change('added', '/b')));
    await writeFile(join(folder, 'notes.txt'), 'no log');
    const found = await run(folder);

    expect(pathsOf(found)).toEqual(['/b']);
    expect(found.report.ignored).toEqual({ 'files with other names': 1 });
  });

  it('keeps a row that is there twice until both are removed', async () => {
    const two = [change('added', '/a'), change('added', '/a')];
    const one = await runLines(...two, change('removed', '/a', { counter: 1 }));
    const none = await runLines(
      ...two,
      change('removed', '/a', { counter: 1 }),
      change('removed', '/a', { counter: 2 }),
    );

    expect([pathsOf(one), pathsOf(none)]).toEqual([['/a'], []]);
  });

  it('begins anew with another epoch, and where a counter of 0 states rows again', async () => {
    const epoch = await runLines(change('added', '/a'), change('added', '/b', { epoch: 1 }));
    const again = { unixTime: 9 };
    const [a, b] = [change('added', '/a'), change('added', '/b')];
    const counter = await runLines(a, b, change('added', '/x', { counter: 3 }), change('added', '/a', again));
    const twice = await runLines(
      a,
      change('added', '/a', again),
      change('removed', '/a', { unixTime: 12, counter: 5 }),
    );

    expect([epoch, counter, twice].map(({ report }) => report.status)).toEqual(Array(3).fill('complete'));
    expect([pathsOf(epoch), pathsOf(counter), pathsOf(twice)]).toEqual([['/b'], ['/a'], []]);
  });

  it('goes on where the text of a query has changed, which also has a counter of 0', async () => {
    const { report, ...found } = await runLines(
      change('added', '/a'),
      change('added', '/b'),
      change('added', '/c', { unixTime: 2, counter: 3 }),
      change('removed', '/b', { unixTime: 3 }),
      change('added', '/d', { unixTime: 3 }),
    );

    expect(report.status).toBe('complete');
    expect(pathsOf({ report, ...found })).toEqual(['/a', '/c', '/d']);
  });

  it('keeps all events, whose queries always have a counter of 0', async () => {
    const found = await runLines(
      ...['/a', '/b', '/c'].map((path, index) => change('added', path, { unixTime: index })),
    );

    expect(found.report.status).toBe('complete');
    expect(pathsOf(found)).toEqual(['/a', '/b', '/c']);
  });

  it('begins anew with a snapshot, and after it', async () => {
    const snapshot = { ...base, unixTime: 2, action: 'snapshot', snapshot: [{ path: '/s' }, { path: '/t' }] };
    const found = await runLines(
      change('added', '/a'),
      snapshot,
      change('added', '/s', { unixTime: 3 }),
      change('added', '/u', { unixTime: 3 }),
      change('removed', '/s', { unixTime: 4, counter: 1 }),
    );

    expect(found.report.status).toBe('complete');
    expect(pathsOf(found)).toEqual(['/u']);
  });

  it.each<[string, readonly object[], readonly string[], string]>([
    [
      'begins late',
      [change('added', '/a', { counter: 7 })],
      ['/a'],
      'expected the log from its beginning (counter 0)',
    ],
    [
      'lacks a part',
      [change('added', '/a'), change('removed', '/b', { counter: 1 })],
      ['/a'],
      'it removes rows that it has not added',
    ],
    [
      'counts backwards',
      [change('added', '/a'), change('added', '/b', { counter: 9 }), change('added', '/c', { counter: 4 })],
      ['/c'],
      'expected the log from its beginning (counter 0)',
    ],
    [
      'may begin anew or go on',
      [change('added', '/a'), change('added', '/b', { counter: 9 }), change('added', '/c', { unixTime: 2 })],
      ['/a', '/b', '/c'],
      'it has a counter of 0 again, and may begin anew or go on',
    ],
  ])('that %s deletes nothing, and says so', async (_what, lines, paths, reason) => {
    const found = await runLines(...lines);

    expect(found.report.status).toBe('partial');
    expect(pathsOf(found)).toEqual(paths);
    expect(found.unread).toHaveLength(1);
    expect(found.report.warnings.join()).toContain(`files of web-1: ${reason}`);
  });

  it.each([true, false])('that is compressed is not passed over: of a directory %p', async (isDirectory) => {
    const folder = await mkdtemp(join(directory, 'compressed-'));
    await writeFile(join(folder, 'osqueryd.results.log'), `${JSON.stringify(change('added', '/a'))}\n`);
    await writeFile(join(folder, 'osqueryd.results.log.1.zst'), Buffer.from([0x28, 0xb5, 0x2f, 0xfd]));
    const found = await run(isDirectory ? folder : join(folder, '*.log*'));

    expect(pathsOf(found)).toEqual(['/a']);
    expect(found.report.status).toBe('partial');
    expect(found.report.warnings.join()).toContain(
      'osqueryd.results.log.1.zst: a compressed log is not read',
    );
  });

  it('replaces a snapshot by the next one, whole or in lines', async () => {
    const whole = (paths: readonly string[], unixTime: number) => ({
      ...base,
      unixTime,
      action: 'snapshot',
      snapshot: paths.map((path) => ({ path })),
    });
    const found = await runLines(whole(['/a', '/b'], 1), whole(['/c'], 2));
    const rows = await runLines(
      change('snapshot', '/a'),
      change('snapshot', '/b'),
      change('snapshot', '/c', { unixTime: 2 }),
      change('snapshot', '/d', { unixTime: 2 }),
    );

    expect(pathsOf(found)).toEqual(['/c']);
    expect(pathsOf(rows)).toEqual(['/c', '/d']);
  });

  it('reads numbers as texts, and applies removals of a batch before its additions', async () => {
    const batch = (counter: number, added: unknown, removed: unknown) => ({
      ...base,
      counter,
      diffResults: { added, removed },
    });
    const found = await runLines(
      batch(0, [{ path: '/a', size: 1 }], ''),
      batch(1, [{ path: '/a', size: 1 }], [{ path: '/a', size: '1' }]),
    );

    expect(pathsOf(found)).toEqual(['/a']);
  });

  it('leaves out a last line that is not finished', async () => {
    const file = join(directory, 'growing.log');
    const text = [change('added', '/a'), change('added', '/b')].map((line) => JSON.stringify(line));
    await writeFile(file, `${text.join('\n')}\n{"name":"files","hostId`);
    const found = await run(file);

    expect(pathsOf(found)).toEqual(['/a', '/b']);
    expect(found.report).toMatchObject({
      status: 'complete',
      warnings: ['results: line 3: not read, as osquery has not finished it yet'],
    });
  });

  it.each<[string, readonly object[], string]>([
    [
      'no result',
      [change('added', '/a'), { level: 'info' }],
      'line 2: expected a "name" and a "hostIdentifier"',
    ],
    [
      'another action',
      [change('moved', '/a')],
      'line 1: expected "diffResults", or the "action" added, removed or snapshot',
    ],
    ['no columns', [{ ...base, action: 'added' }], 'line 1: expected a row with "columns"'],
    [
      'no number',
      [change('added', '/a', { counter: 'many' })],
      'line 1: expected a whole number as "counter"',
    ],
  ])('with %s is refused by line', async (_what, lines, reason) => {
    const { report } = await runLines(...lines);

    expect(report.status).toBe('failed');
    expect(report.steps[0]?.reason).toContain(reason);
  });

  it('with a damaged line is refused by file and line', async () => {
    await writeFile(join(directory, 'damaged.log'), `{"name":\n${JSON.stringify(change('added', '/a'))}\n`);
    const { report } = await run(join(directory, 'damaged.log'));

    expect(report.steps[0]?.reason).toMatch(
      /^damaged.log: line 1: expected a line of results of osquery, got text/,
    );
  });
});
