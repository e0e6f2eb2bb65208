import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DomainError } from '#platform/foundation';
import { CrashDisk } from '#testing';
import { actingAs } from './actor.ts';
import { AuditTrail } from './audit-trail.ts';
import { verifyTrail } from './verify-trail.ts';

const PATH = '/var/audit.jsonl';
const CI = {
  who: 'ci',
  isNamed: true,
  source: 'trivy',
  from: '10.0.0.7',
  what: 'POST /v1/ingest/sync',
  requestId: 'r-1',
};
const ALL = { sinceMs: 0, limit: 1_000 };

describe('an audit trail', () => {
  let disk: CrashDisk;

  const open = (more: { readonly isBestEffort?: boolean; readonly fileBytesMax?: number } = {}) =>
    AuditTrail.open({ disk, path: PATH, isBestEffort: false, ...more });
  const change = (trail: AuditTrail, seq: number): void =>
    actingAs(CI, () => trail.change({ target: 'trivy', counts: { entities_put: 2 }, seq }));
  const written = async (...seqs: readonly number[]): Promise<void> => {
    const trail = await open();
    for (const seq of seqs) change(trail, seq);
    await trail.close();
  };
  const replace = async (path: string, text: string): Promise<void> => {
    await disk.remove(path);
    await disk.writeNew(path, Buffer.from(text));
  };
  const edit = async (edited: (lines: readonly string[]) => readonly string[]): Promise<void> => {
    const lines = (await disk.readText(PATH)).trimEnd().split('\n');
    await replace(PATH, [...edited(lines), ''].join('\n'));
  };
  const faults = async (from?: number): Promise<readonly string[]> =>
    (await verifyTrail(disk, PATH, from)).faults;

  beforeEach(async () => {
    disk = new CrashDisk(1);
    await disk.makeDirectory('/var');
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('has a line for each change', async () => {
    await written(7);

    const [line = ''] = (await disk.readText(PATH)).split('\n');
    expect(JSON.parse(line)).toEqual({
      n: 1,
      time: expect.stringMatching(/Z$/),
      who: 'ci',
      source: 'trivy',
      from: '10.0.0.7',
      what: 'POST /v1/ingest/sync',
      target: 'trivy',
      counts: { entities_put: 2 },
      seq: 7,
      outcome: 'done',
      request_id: 'r-1',
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('is one chain over several starts', async () => {
    await written(1, 2);
    await written(3);

    expect(await verifyTrail(disk, PATH)).toMatchObject({ events: 3, first: 1, last: { n: 3 }, faults: [] });
  });

  it.each<[string, (lines: readonly string[]) => readonly string[], string]>([
    ['a removed line', (lines) => lines.toSpliced(1, 1), 'audit.jsonl:2: events 2 to 2 are missing'],
    ['the first line removed', (lines) => lines.slice(1), 'audit.jsonl:1: events 1 to 1 are missing'],
    ['the last line removed', (lines) => lines.slice(0, -1), 'the end is cut: events 4 to 4 are missing'],
    ['all lines removed', () => [], 'the end is cut: events 1 to 4 are missing'],
    [
      'a changed line',
      (lines) => lines.with(1, (lines[1] ?? '').replace('"ci"', '"someone else"')),
      'audit.jsonl:2: event 2, or the one before, was changed',
    ],
    [
      'the first line changed',
      (lines) => lines.with(0, (lines[0] ?? '').replace('"ci"', '"someone else"')),
      'audit.jsonl:1: event 1 was changed',
    ],
    [
      'the last line changed',
      (lines) => lines.with(3, (lines[3] ?? '').replace('"ci"', '"someone else"')),
      'audit.jsonl:4: event 4, or the one before, was changed',
    ],
    [
      'two lines in another order',
      (lines) => [0, 2, 1, 3].map((at) => lines[at] ?? ''),
      'audit.jsonl:3: event 2 stands after event 3',
    ],
    ['a line twice', (lines) => [...lines, lines[3] ?? ''], 'audit.jsonl:5: event 4 stands after event 4'],
    [
      'a line cut off in the middle',
      (lines) => lines.with(1, (lines[1] ?? '').slice(0, 40)),
      'audit.jsonl:2: expected a line of an audit trail',
    ],
    [
      'a line of others',
      (lines) => [...lines, '{"n":5}'],
      'audit.jsonl:5: expected a line of an audit trail',
    ],
  ])('shows %s', async (_what, edited, fault) => {
    await written(1, 2, 3, 4);

    await edit(edited);

    expect(await faults()).toContain(fault);
  });

  it('shows lines that were cut off also after the program has gone on', async () => {
    await written(1, 2, 3);
    await edit((lines) => lines.slice(0, 1));
    await written(4);

    expect(await faults()).toEqual(['audit.jsonl:2: events 2 to 3 are missing']);
    const { events } = await (await open()).search(ALL);
    expect(events.map(({ outcome, counts }) => [outcome, counts?.['events']])).toEqual([
      ['done', undefined],
      ['lost', 2],
      ['done', undefined],
    ]);
  });

  it('cuts a line that a killed program left incomplete, and goes on with the chain', async () => {
    await written(1, 2);
    await replace(PATH, `${await disk.readText(PATH)}{"n":3,"time":"2026-`);
    const torn = await verifyTrail(disk, PATH);

    await written(3);

    expect([torn.faults, torn.notices]).toEqual([
      [],
      [expect.stringContaining('the last line is incomplete')],
    ]);
    expect(await faults()).toEqual([]);
    const { events } = await (await open()).search(ALL);
    expect(events.map(({ outcome }) => outcome)).toEqual(['done', 'torn', 'done', 'done']);
  });

  it('is renamed at its size and at the end of the day, and stays one chain', async () => {
    jest.useFakeTimers({ now: Date.parse('2026-11-20T23:59:59Z'), doNotFake: ['nextTick', 'setImmediate'] });
    const trail = await open({ fileBytesMax: 700 });
    for (let seq = 1; seq <= 6; seq++) {
      change(trail, seq);
      await disk.list('/var');
      await disk.list('/var');
      await disk.list('/var');
    }
    jest.advanceTimersByTime(2_000);
    change(trail, 7);
    await trail.close();

    const names = (await disk.list('/var')).filter((name) => name.includes('.jsonl.2026'));
    expect(names.length).toBeGreaterThan(1);
    expect(names.every((name) => /^audit\.jsonl\.2026-11-20\.\d{12}$/.test(name))).toBe(true);
    expect(await verifyTrail(disk, PATH)).toMatchObject({ events: 7, faults: [] });
    await disk.remove(`/var/${names[0] ?? ''}`);
    expect((await faults()).join()).toMatch(/^audit\.jsonl\.2026-11-20\.\d+:1: events 1 to \d are missing$/);
    const { first } = await verifyTrail(disk, PATH);
    expect(await faults(first)).toEqual([]);
    const again = await open();
    expect((await again.search(ALL)).events.at(0)).toMatchObject({ n: 7 });
    await again.close();
  });

  it('begins anew in no case: an empty file after a rename goes on where the last one ended', async () => {
    await written(1, 2);
    await disk.rename(PATH, `${PATH}.2026-11-20.000000000001`);

    await written(3);

    expect(await verifyTrail(disk, PATH)).toMatchObject({ events: 3, files: 2, faults: [] });
  });

  it('refuses a change whose line cannot be written, and takes the next once it can', async () => {
    const trail = await open();
    change(trail, 1);
    disk.plan({ failAt: { call: 1, code: 'EIO' } });

    expect(() => change(trail, 2)).toThrow(DomainError);
    change(trail, 3);
    await trail.close();

    expect(await faults()).toEqual([]);
    const { events } = await (await open()).search(ALL);
    expect(events.map(({ seq, outcome }) => [seq, outcome])).toEqual([
      [3, 'done'],
      [undefined, 'lost'],
      [1, 'done'],
    ]);
  });

  it('loses events rather than changes by best effort', async () => {
    const trail = await open({ isBestEffort: true });
    disk.plan({ failAt: { call: 1, code: 'ENOSPC' } });

    expect(() => change(trail, 1)).not.toThrow();
    await trail.close();
  });

  it('never lets a refusal fail, and counts a flood of them', async () => {
    jest.useFakeTimers({ now: Date.parse('2026-11-20T12:00:00Z'), doNotFake: ['nextTick', 'setImmediate'] });
    const trail = await open();
    for (let at = 0; at < 1_000; at++) trail.refusal({ ...CI, who: 'nobody' }, 401);
    jest.advanceTimersByTime(1_000);
    trail.refusal(CI, 403);

    const { events } = await trail.search(ALL);
    await trail.close();
    expect(events.length).toBe(202);
    expect(events.slice(0, 2)).toMatchObject([
      { who: 'ci', outcome: 'refused', status: 403 },
      { what: 'further refusals of one second', counts: { events: 800 } },
    ]);
  });

  it('is searched by time, key and operation, newest first', async () => {
    await written(1, 2, 3);
    const trail = await open();
    actingAs({ who: 'alice', isNamed: true, from: '::1', what: 'DELETE /v1/entities/:id' }, () =>
      trail.change({ target: 'api', counts: {}, seq: 4 }),
    );

    const seqs = async (query: object) =>
      (await trail.search({ ...ALL, ...query })).events.map(({ seq }) => seq);
    expect(await seqs({ who: 'alice' })).toEqual([4]);
    expect(await seqs({ who: 'ali' })).toEqual([]);
    expect(await seqs({ what: 'ingest' })).toEqual([3, 2, 1]);
    expect(await seqs({ what: 'trivy' })).toEqual([3, 2, 1]);
    expect(await seqs({ sinceMs: Date.now() + 1_000 })).toEqual([]);
    expect(await trail.search({ ...ALL, limit: 2 })).toMatchObject({ hasMore: true, events: [{}, {}] });
    await trail.close();
  });

  it('is not written by two programs at once', async () => {
    const trail = await open();

    await expect(open()).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    await trail.close();
  });

  it('takes no other file for its own', async () => {
    await disk.writeNew(PATH, Buffer.from('127.0.0.1 - - "GET /"\n'));

    await expect(open()).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    expect(await disk.readText(PATH)).toBe('127.0.0.1 - - "GET /"\n');
  });

  it('goes to standard output as the same lines, and can be asked for', async () => {
    let text = '';
    const output = { write: (part: string) => (text += part) };
    const trail = await AuditTrail.open({ disk, path: '-', isBestEffort: false, output });
    change(trail, 1);
    change(trail, 2);

    const { events } = await trail.search({ ...ALL, limit: 1 });
    expect(events).toMatchObject([{ n: 2, seq: 2 }]);
    expect(text.split('\n').map((line) => line.slice(0, 6))).toEqual(['{"n":1', '{"n":2', '']);
  });
});
