import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './support/built-program.ts';
import { tokenOf } from './support/seq-token.ts';
import { bodyOf, TestService } from './support/test-service.ts';
import { TurnedClock } from './support/turned-clock.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let directory: string;
let clock: TurnedClock;
let service: TestService;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-diff-'));
  clock = new TurnedClock();
  service = await start();
});

afterEach(async () => {
  await service.stop();
  await rm(directory, { recursive: true, force: true });
});

function start(environment: Record<string, string> = {}): Promise<TestService> {
  return TestService.start({ directory: join(directory, 'data'), clock, environment });
}

type Body = Record<string, unknown>;

async function write(connector: string, body: object): Promise<number> {
  clock.turn(HOUR_MS);
  const answer = await service.call('POST', '/v1/ingest/write', {
    connector_id: connector,
    ...NOTHING,
    ...body,
  });
  expect(answer.status).toBe(200);
  return tokenOf(answer).seq;
}

const NOTHING = { entities: [], relationships: [] };
const host = (key: string, properties: object): object => ({ type: 'host', key, class: 'Host', properties });
const runs = (key: string): object => ({
  from: { type: 'host', key },
  verb: 'RUNS',
  to: { type: 'service', key: 'nginx' },
});

async function diff(query: string): Promise<Body> {
  const answer = await service.call('GET', `/v1/diff?${query}`);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return bodyOf(answer);
}

/** What each change says in short. */
function shown({ changes }: Body): readonly string[] {
  return (changes as readonly Body[]).map((change) => {
    const { record, key, verb, from } = change as Record<string, unknown> & { from?: { key: string } };
    const what = record === 'entity' ? String(key) : `${String(from?.key)} ${String(verb)}`;
    return `${String(change['change'])} ${what}`;
  });
}

async function refusalOf(query: string): Promise<readonly unknown[]> {
  const answer = await service.call('GET', `/v1/diff?${query}`);
  const { error, details } = JSON.parse(answer.text) as { error: string; details?: { field?: string } };
  return [answer.status, error, details?.field];
}

/** Four batches, of two sources. */
async function estate(): Promise<readonly number[]> {
  return [
    await write('aws', {
      entities: [host('web', { state: 'up', os: 'linux' }), host('db', { state: 'up' })],
    }),
    await write('cmdb', {
      entities: [{ type: 'service', key: 'nginx', class: 'Service', properties: {} }],
      relationships: [runs('web')].map((each) => ({ ...each, properties: {} })),
    }),
    await write('aws', { entities: [host('web', { state: 'down', os: 'linux', zone: 'a' })] }),
    await write('aws', {
      entities: [host('web', { state: 'down', os: 'bsd', zone: 'a' })],
      delete: { entities: [{ type: 'host', key: 'db' }], relationships: [] },
    }),
  ];
}

describe('GET /v1/diff', () => {
  it('shows what was created, changed and deleted, property by property, with source and time', async () => {
    const [first = 0, , third = 0, last = 0] = await estate();

    const reply = await diff(`from=${String(first)}`);

    expect(reply).toMatchObject({ from: first, to: last });
    expect(shown(reply)).toEqual(['deleted db', 'changed web', 'created nginx', 'created web RUNS']);
    const web = (reply['changes'] as readonly Body[])[1];
    expect(web).toMatchObject({ type: 'host', class: 'Host', seq: last, source: { connector_id: 'aws' } });
    const { at: time } = web as { at: string };
    const fields = web?.['fields'] as readonly { readonly at: string }[];
    const earlier = String(fields[1]?.at);
    expect(Date.parse(time) - Date.parse(earlier)).toBeGreaterThanOrEqual(HOUR_MS);
    expect(fields).toEqual([
      { name: 'os', old: 'linux', new: 'bsd', source: 'aws', at: time },
      { name: 'state', old: 'up', new: 'down', source: 'aws', at: earlier },
      { name: 'zone', new: 'a', source: 'aws', at: earlier },
    ]);
    expect(shown(await diff(`from=${String(first)}&to=${String(third)}`))).toEqual([
      'changed web',
      'created nginx',
      'created web RUNS',
    ]);
    expect(shown(await diff(`from=${String(last)}`))).toEqual([]);
  });

  it('takes times, and leaves out what has changed back', async () => {
    await estate();
    const noon = new Date(clock.nowMs()).toISOString();
    await write('aws', { entities: [host('web', { state: 'lost', os: 'bsd', zone: 'a' })] });
    const middle = new Date(clock.nowMs()).toISOString();
    await write('aws', { entities: [host('web', { state: 'down', os: 'bsd', zone: 'a' })] });

    expect(shown(await diff(`from=${noon}`))).toEqual([]);
    expect(shown(await diff(`from=${noon}&to=${middle}`))).toEqual(['changed web']);
    expect(shown(await diff(`from=${middle}`))).toEqual(['changed web']);
  });

  it('keeps to a type, class or label, and to relationships with an end of it', async () => {
    await estate();

    expect(shown(await diff('from=0&type=Service'))).toEqual(['created nginx', 'created web RUNS']);
    expect(shown(await diff('from=0&type=host'))).toEqual(['created web', 'created web RUNS']);
    expect(shown(await diff('from=0&type=printer'))).toEqual([]);
  });

  it('warns of a type that nothing has, and of no other', async () => {
    await estate();
    const warningsOf = async (query: string): Promise<unknown> => (await diff(query))['warnings'];

    expect(await warningsOf('from=0&type=hosst')).toEqual([
      {
        code: 'UNKNOWN_CLASS',
        message: 'no class, type or label `hosst` is known; did you mean `Host`?',
        nearest: 'Host',
      },
    ]);
    for (const known of ['host', 'Host', 'service', 'Database'])
      expect(await warningsOf(`from=${String(service.graph.durableVersion)}&type=${known}`)).toEqual([]);
    expect(await warningsOf('from=0')).toEqual([]);
  });

  it('comes in pages that do not move, after a restart too', async () => {
    const [first = 0] = await estate();
    const whole = await diff(`from=${String(first)}`);
    const parts: unknown[] = [];
    for (let query = `from=${String(first)}&limit=1`; ;) {
      const page = await diff(query);
      parts.push(...(page['changes'] as readonly unknown[]));
      if (page['cursor'] === undefined) break;
      query = `limit=1&cursor=${page['cursor'] as string}`;
      await write('aws', { entities: [host(`later-${String(parts.length)}`, {})] });
      await service.stop();
      service = await start();
    }

    expect(parts).toEqual(whole['changes']);
  });

  it('refuses what is no span of this history', async () => {
    const [first = 0, , , last = 0] = await estate();
    const day = (days: number): string => new Date(clock.nowMs() + days * DAY_MS).toISOString();
    const { cursor } = await diff('from=0&limit=1');

    expect(await refusalOf('')).toEqual([400, 'INVALID_REQUEST', 'from']);
    expect(await refusalOf('from=yesterday')).toEqual([400, 'INVALID_REQUEST', 'from']);
    expect(await refusalOf('from=-1')).toEqual([400, 'INVALID_REQUEST', 'from']);
    expect(await refusalOf(`from=${day(-1)}`)).toEqual([410, 'BEYOND_HISTORY', undefined]);
    expect(await refusalOf(`from=${day(1)}`)).toEqual([400, 'INVALID_REQUEST', 'from']);
    expect(await refusalOf(`from=0&to=${day(1)}`)).toEqual([400, 'INVALID_REQUEST', 'to']);
    expect(await refusalOf(`from=0&to=${String(last + 1)}`)).toEqual([400, 'INVALID_REQUEST', 'to']);
    expect(await refusalOf(`from=${String(last)}&to=${String(first)}`)).toEqual([
      400,
      'INVALID_REQUEST',
      'to',
    ]);
    expect(await refusalOf(`from=another.${String(first)}`)).toEqual([409, 'CONFLICT', 'Plexus-Seq']);
    expect(await refusalOf('from=0&limit=0')).toEqual([400, 'INVALID_REQUEST', 'limit']);
    for (const malformed of ['x', 'W10', 'bnVsbA', Buffer.from('[1,2,3,4,5]').toString('base64url')])
      expect(await refusalOf(`cursor=${malformed}`)).toEqual([400, 'INVALID_REQUEST', 'cursor']);
    expect(await refusalOf(`cursor=${String(cursor)}&type=Host`)).toEqual([400, 'INVALID_REQUEST', 'cursor']);
    expect(await refusalOf(`cursor=${String(cursor)}&from=1`)).toEqual([400, 'INVALID_REQUEST', 'cursor']);
    const foreign = Buffer.from(JSON.stringify(['other', 0, first, 'type ', ''])).toString('base64url');
    expect(await refusalOf(`cursor=${foreign}`)).toEqual([409, 'CONFLICT', 'Plexus-Seq']);
  });

  it('is refused by a service without history', async () => {
    await service.stop();
    service = await start({ PLEXUS_HISTORY: 'off' });

    expect(await refusalOf('from=0')).toEqual([410, 'BEYOND_HISTORY', undefined]);
  });
});

describe('GET /v1/entities/{id}/changes', () => {
  const idOf = async (key: string): Promise<string> => {
    const { changes } = await diff('from=0');
    const found = (changes as readonly Body[]).find((change) => change['key'] === key);
    return String(found?.['id']);
  };
  const timeline = (id: string, query = ''): Promise<Body> =>
    service.json(200, 'GET', `/v1/entities/${id}/changes?${query}`);

  /** What the stream of changes says of an entity, the latest first. */
  async function told(id: string): Promise<readonly unknown[]> {
    const { text } = await service.call('GET', '/v1/changes?from=0');
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Body & { entity?: { id: string } })
      .filter(({ entity }) => entity?.id === id)
      .map(({ change, at, seq, source, fields }) => ({ change, at, seq, source, fields }))
      .reverse();
  }

  it('tells every change, the latest first, with source and time, as the stream does', async () => {
    const seqs = await estate();
    const [first = 0, , third = 0, last = 0] = seqs;
    const id = await idOf('web');

    const { changes, cursor } = await timeline(id);

    expect(cursor).toBeUndefined();
    expect(changes).toMatchObject([
      {
        change: 'changed',
        seq: last,
        source: { connector_id: 'aws' },
        fields: [{ name: 'os', old: 'linux', new: 'bsd' }],
      },
      {
        change: 'changed',
        seq: third,
        fields: [
          { name: 'state', old: 'up', new: 'down' },
          { name: 'zone', new: 'a' },
        ],
      },
      { change: 'created', seq: first },
    ]);
    expect(changes).toEqual(await told(id));
  });

  it('tells of deletions and of what came again, in pages that do not move, after a restart too', async () => {
    await estate();
    const id = await idOf('web');
    const drop = { delete: { entities: [{ type: 'host', key: 'web' }], relationships: [] } };
    const up = { entities: [host('web', { state: 'up' })] };
    // The second one changes nothing, the last one is of another source.
    for (const body of [drop, up, up, drop, up]) await write('aws', body);
    await write('cmdb', { entities: [host('web', { state: 'up' })] });
    const whole = await told(id);
    const parts: unknown[] = [];
    for (let query = 'limit=2'; ;) {
      const page = await timeline(id, query);
      parts.push(...(page['changes'] as readonly unknown[]));
      if (page['cursor'] === undefined) break;
      query = `limit=2&cursor=${page['cursor'] as string}`;
      await write('aws', { entities: [host('web', { state: `later ${String(parts.length)}` })] });
      await service.stop();
      service = await start();
    }

    expect(parts.map((part) => (part as Body)['change'])).toEqual([
      'created',
      'deleted',
      'created',
      'deleted',
      'changed',
      'changed',
      'created',
    ]);
    expect(parts).toEqual(whole);
  });

  it('tells changes of one millisecond apart', async () => {
    const put = (state: string): Promise<unknown> =>
      service.json(200, 'POST', '/v1/ingest/write', { ...NOTHING, entities: [host('fast', { state })] });
    for (const state of ['a', 'b', 'c', 'd']) await put(state);
    const id = await idOf('fast');

    const { changes } = await timeline(id);

    expect(changes).toHaveLength(4);
    expect(changes).toEqual(await told(id));
  });

  it('ends where the history does, and refuses what is no entity and no cursor', async () => {
    const [first = 0] = await estate();
    const id = await idOf('web');
    const unknown = '0'.repeat(32);
    const refusal = async (path: string): Promise<readonly unknown[]> => {
      const { status, text } = await service.call('GET', `/v1/entities/${path}`);
      return [status, (JSON.parse(text) as Body)['error']];
    };

    expect(await refusal(`${unknown}/changes`)).toEqual([404, 'NOT_FOUND']);
    expect(await refusal('x/changes')).toEqual([400, 'INVALID_REQUEST']);
    expect(await refusal(`${id}/changes?cursor=x`)).toEqual([400, 'INVALID_REQUEST']);
    expect(await refusal(`${id}/changes?limit=0`)).toEqual([400, 'INVALID_REQUEST']);
    expect(await refusal(`${id}/changes?cursor=another.${String(first)}`)).toEqual([409, 'CONFLICT']);
    await service.stop();
    service = await start({ PLEXUS_HISTORY: 'off' });
    expect(await refusal(`${id}/changes`)).toEqual([410, 'BEYOND_HISTORY']);
    await write('aws', { entities: [host('web', { state: 'unseen' })] });
    await service.stop();
    service = await start();
    expect((await timeline(id))['changes']).toEqual([]);
  });
});

describe('POST /v1/diff', () => {
  const rows = (body: object): Promise<Body> => service.json(200, 'POST', '/v1/diff', body);
  const changesOf = ({ rows: all }: Body): unknown => all;

  it('shows the rows of a query that came and went, whatever its form', async () => {
    const [first = 0, second = 0, , last = 0] = await estate();

    const names = await rows({ pql: 'FIND Host RETURN _key, state', from: first, to: last });
    const entities = await rows({ pql: 'FIND *', from: first });
    const counts = await rows({ pql: 'FIND Host RETURN COUNT', from: first });
    const groups = await rows({ pql: 'FIND Host GROUP BY state', from: first });
    const paths = await rows({ pql: 'FIND SHORTEST PATH FROM host TO service', from: first, to: second });

    expect(names).toMatchObject({
      from: first,
      to: last,
      came: 1,
      went: 2,
      columns: ['_key', 'state'],
    });
    expect(changesOf(names)).toEqual([
      { change: 'came', row: { _key: 'web', state: 'down' } },
      { change: 'went', row: { _key: 'db', state: 'up' } },
      { change: 'went', row: { _key: 'web', state: 'up' } },
    ]);
    expect(changesOf(entities)).toEqual([
      { change: 'came', row: expect.objectContaining({ key: 'nginx' }) },
      { change: 'went', row: expect.objectContaining({ key: 'db', properties: { state: 'up' } }) },
    ]);
    expect(changesOf(counts)).toEqual([
      { change: 'came', row: { count: 1 } },
      { change: 'went', row: { count: 2 } },
    ]);
    expect(changesOf(groups)).toEqual([
      { change: 'came', row: { key: 'down', count: 1 } },
      { change: 'went', row: { key: 'up', count: 2 } },
    ]);
    expect(changesOf(paths)).toEqual([{ change: 'came', row: expect.objectContaining({ hops: 1 }) }]);
  });

  it('counts equal rows, and pages over both kinds', async () => {
    await write('aws', {
      entities: [host('a', { os: 'x' }), host('b', { os: 'x' }), host('c', { os: 'y' })],
    });
    const first = service.graph.durableVersion;
    await write('aws', { entities: [host('a', { os: 'y' }), host('b', { os: 'z' })] });
    const body = { pql: 'FIND Host RETURN os', from: first };
    const whole = await rows(body);
    const parts: unknown[] = [];
    for (let cursor: unknown; ;) {
      const page = await rows({ ...(cursor === undefined ? body : { pql: body.pql, cursor }), limit: 1 });
      expect(page).toMatchObject({ came: 2, went: 2 });
      parts.push(...(page['rows'] as readonly unknown[]));
      cursor = page['cursor'];
      if (cursor === undefined) break;
    }

    expect(whole).toMatchObject({ came: 2, went: 2 });
    expect(parts).toEqual(whole['rows']);
  });

  it('refuses a plan, AS OF, a faulty query and the cursor of another one', async () => {
    await estate();
    const refusal = async (body: object): Promise<readonly unknown[]> => {
      const answer = await service.call('POST', '/v1/diff', { from: 1, ...body });
      return [answer.status, (JSON.parse(answer.text) as { error: string }).error];
    };
    const { cursor } = await rows({ pql: 'FIND *', from: 0, limit: 1 });

    expect(await refusal({ pql: 'EXPLAIN FIND *' })).toEqual([400, 'INVALID_REQUEST']);
    expect(await refusal({ pql: 'FIND * AS OF 1' })).toEqual([400, 'PQL_SYNTAX']);
    expect(await refusal({ pql: 'FIND' })).toEqual([400, 'PQL_SYNTAX']);
    expect(await refusal({ pql: 'FIND *', params: 1 })).toEqual([400, 'INVALID_REQUEST']);
    expect(await refusal({ pql: 'FIND host', from: undefined, cursor })).toEqual([400, 'INVALID_REQUEST']);
    expect(await refusal({ pql: 'FIND *', from: {} })).toEqual([400, 'INVALID_REQUEST']);
  });
});

const RULES = {
  rules: [
    { id: 'down', query: "FIND Host WITH state = 'down'", severity: 'high' },
    { id: 'idle', query: 'FIND Host THAT !RUNS Service', population: 'FIND Host' },
    { id: 'faulty', query: 'FIND Host WITH os =~ $p', parameters: { p: { type: 'string', default: '[' } } },
    { id: 'printers', query: 'FIND printer' },
  ],
};

describe('POST /v1/policies/diff', () => {
  it('shows which findings opened and closed, and what is unknown', async () => {
    const [, second = 0] = await estate();
    await service.json(200, 'POST', '/v1/policies', RULES);

    const diff = await service.json(200, 'POST', '/v1/policies/diff', { from: second });

    expect(diff).toMatchObject({ from: second, opened: 1, closed: 1 });
    const rules = diff['rules'] as readonly Body[];
    expect(rules.map(({ rule_id: id }) => id)).toEqual(['down', 'faulty', 'idle']);
    expect(rules[0]).toMatchObject({
      before: { status: 'Pass', violation_count: 0 },
      after: { status: 'Fail', violation_count: 1 },
      opened: [{ label: 'host web', class: 'Host' }],
      closed: [],
    });
    expect(rules[1]).toMatchObject({
      opened_count: 0,
      closed_count: 0,
      unknown: expect.stringContaining('not evaluated'),
    });
    expect(rules[2]).toMatchObject({
      before: { status: 'Fail' },
      after: { status: 'Pass' },
      closed: [{ label: 'host db' }],
    });
    expect(diff['score']).toMatchObject({
      before: { overall_score: expect.any(Number) },
      after: { overall_score: expect.any(Number) },
    });
  });

  it('does not count findings as closed whose data is gone', async () => {
    await service.json(200, 'POST', '/v1/policies', { rules: RULES.rules.slice(0, 1) });
    const first = await write('aws', { entities: [host('web', { state: 'down' })] });
    await write('aws', { delete: { entities: [{ type: 'host', key: 'web' }], relationships: [] } });

    const diff = await service.json(200, 'POST', '/v1/policies/diff', { from: first });

    expect(diff).toMatchObject({
      closed: 0,
      rules: [{ after: { status: 'NoData' }, closed: [], unknown: expect.stringContaining('no data') }],
    });
  });

  it('leaves findings and posture as they are, like an evaluation as of a moment', async () => {
    const [first = 0, , third = 0] = await estate();
    await service.json(200, 'POST', '/v1/policies', { rules: RULES.rules.slice(0, 1) });
    const evaluate = (body: object): Promise<Body> =>
      service.json(200, 'POST', '/v1/policies/evaluate', body);

    const then = await evaluate({ as_of: first });
    const later = await evaluate({ as_of: third });
    await service.json(200, 'POST', '/v1/policies/diff', { from: first });
    const stored = await service.json(200, 'GET', '/v1/policies/evaluations');
    const now = await evaluate({});

    expect(then).toMatchObject({ snapshot_version: first, pass: 1, fail: 0, not_stored: expect.any(String) });
    expect(later).toMatchObject({ fail: 1, results: [{ violations: [{ key: 'web' }] }] });
    expect(stored).toMatchObject({ count: 0 });
    expect(now).not.toHaveProperty('not_stored');
    for (const body of [{ as_of: 'yesterday' }, { as_of: -1 }, { as_of: 1e6 }])
      expect((await service.call('POST', '/v1/policies/evaluate', body)).status).toBe(400);
    for (const body of [
      {},
      { from: 'x' },
      { from: 1, to: 0 },
      { from: 0, params: {} },
      { from: 0, as_of: 1 },
    ])
      expect((await service.call('POST', '/v1/policies/diff', body)).status).toBe(400);
  });
});

describe('plexus diff', () => {
  it('shows the findings of a server, and of a data directory', async () => {
    const [, second = 0] = await estate();
    await service.json(200, 'POST', '/v1/policies', { rules: RULES.rules.slice(0, 2) });

    const shown = await runProgram(['diff', String(second), '--findings', '--url', service.url]);
    const evaluated = await runProgram([
      'policy',
      'evaluate',
      '--as-of',
      String(second),
      '--format',
      'json',
      '--fail-on',
      'error',
      '--url',
      service.url,
    ]);

    await service.stop();
    const [rule] = RULES.rules;
    await writeFile(join(directory, 'rule.yaml'), JSON.stringify({ rules: [{ ...rule, id: 'of-file' }] }));
    const inDirectory = ['diff', String(second), '--findings', '--data-dir', join(directory, 'data')];
    const stored = await runProgram(inDirectory);
    const withFiles = await runProgram([...inDirectory, '--rules', directory]);
    service = await start();

    expect(shown.stdout).toBe(
      'down (high): Pass → Fail\n  + host web\nidle (medium): Fail → Pass\n  - host db\n',
    );
    expect([stored.stdout, stored.stderr]).toEqual([shown.stdout, '']);
    expect(withFiles.stdout).toContain('of-file (high): Pass → Fail\n  + host web\n');
    expect(JSON.parse(evaluated.stdout)).toMatchObject({ snapshot_version: second });
  });

  it('says what has no findings to compare', async () => {
    const [, second = 0] = await estate();
    const asked = ['diff', String(second), '--findings', '--url', service.url];
    const bare = await runProgram(asked);
    await service.json(200, 'POST', '/v1/policies', {
      rules: RULES.rules.filter(({ id }) => id !== 'faulty'),
    });
    const some = await runProgram(asked);

    expect([bare.stdout, bare.stderr]).toEqual(['', 'warning: there are no rules to compare\n']);
    expect(some.stdout).toContain('down (high): Pass → Fail');
    expect(some.stderr).toBe('warning: 1 of 3 rules have no data at the second moment\n');
  });

  it('warns of a class that nothing has', async () => {
    await estate();

    const { stdout, stderr } = await runProgram(['diff', '0', '--class', 'hosst', '--url', service.url]);

    expect([stdout, stderr]).toEqual([
      '',
      'warning: no class, type or label `hosst` is known; did you mean `Host`?\n',
    ]);
  });

  it('asks a server, and a data directory', async () => {
    const [first = 0] = await estate();
    const records = ['diff', String(first), '--class', 'Host'];
    const rows = ['diff', String(first), '--query', 'FIND Host RETURN _key', '--format', 'ndjson'];
    const at = (program: { readonly stdout: string }): string =>
      program.stdout.replaceAll(/\(\w+, [^)]+\)/g, '(…)');

    const asked = [
      await runProgram([...records, '--url', service.url]),
      await runProgram([...rows, '--url', service.url]),
    ];
    await service.stop();
    const data = ['--data-dir', join(directory, 'data')];
    const read = [await runProgram([...records, ...data]), await runProgram([...rows, ...data])];
    service = await start();

    expect(asked.map(at)).toEqual([
      '- host db  (…)\n~ host web  (…)\n    os: "linux" → "bsd"\n    state: "up" → "down"\n    zone: (none) → "a"\n' +
        '+ host web RUNS service nginx  (…)\n',
      '{"change":"went","row":{"_key":"db"}}\n',
    ]);
    expect(read.map(({ stdout }) => stdout)).toEqual(asked.map(({ stdout }) => stdout));
  });
});
