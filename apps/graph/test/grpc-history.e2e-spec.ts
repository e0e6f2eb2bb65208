/** Changes and differences over gRPC: what REST tells, within the same limits. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ChangesReplyWire,
  type ChangesRequestSent,
  type ChangeWire,
  type DiffReplyWire,
} from '#graph/api/grpc';
import { callFault, GraphCaller, plainEntity, plainRelationship, plainValue } from '#graph/testing';
import { tokenOf } from './support/seq-token.ts';
import { type Json, TestService } from './support/test-service.ts';

let directory: string;
let service: TestService;
let caller: GraphCaller;

async function begin(environment: Readonly<Record<string, string>> = {}): Promise<void> {
  service = await TestService.start({ directory, environment: { PLEXUS_GRPC_PORT: '0', ...environment } });
  caller = new GraphCaller(service.grpcAddress);
}

async function end(): Promise<void> {
  caller.close();
  await service.stop();
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-grpc-history-'));
  await begin();
});

afterEach(async () => {
  jest.restoreAllMocks();
  await end();
  await rm(directory, { recursive: true, force: true });
});

async function write(key: string, properties: object): Promise<number> {
  const entities = [{ type: 'host', key, class: 'Host', properties }];
  return tokenOf(await service.call('POST', '/v1/ingest/write', { entities, relationships: [] })).seq;
}

/** Creates, changes and deletes entities and a relationship. */
async function history(): Promise<void> {
  await write('web', { state: 'up', ports: [80, 443], load: 0.5, tags: null });
  const relationships = [
    { from: { type: 'user', key: 'ann' }, verb: 'OWNS', to: { type: 'host', key: 'web' }, key: 'main' },
  ];
  const entities = [{ type: 'user', key: 'ann', class: 'User', labels: ['vip'] }];
  await service.json(200, 'POST', '/v1/ingest/write', { entities, relationships });
  await write('web', { state: 'down', ports: [80], load: 0.5 });
  await write('gone', { state: 'up' });
  const deleted = { entities: [{ type: 'host', key: 'gone' }], relationships: [] };
  await service.json(200, 'POST', '/v1/ingest/write', { entities: [], relationships: [], delete: deleted });
}

async function all(request: ChangesRequestSent): Promise<readonly ChangesReplyWire[]> {
  const replies: ChangesReplyWire[] = [];
  for await (const reply of caller.changes(request)) replies.push(reply);
  return replies;
}

const changesOf = (replies: readonly ChangesReplyWire[]): readonly ChangeWire[] =>
  replies.flatMap(({ change }) => change ?? []);

type Fields = ChangeWire['fields'];

type Plain = Readonly<Record<string, unknown>>;

const plainFields = (fields: Fields): readonly Plain[] =>
  fields.map(({ name, old, new: value, source, at }) => ({
    name,
    ...(old !== null && { old: plainValue(old) }),
    ...(value !== null && { new: plainValue(value) }),
    ...(source !== undefined && { source }),
    ...(at !== undefined && { at }),
  }));

const plainSource = (source: ChangeWire['source']): Plain => ({
  connector_id: source?.connectorId,
  sync_id: source?.syncId,
  synced_at: source?.syncedAt,
});

const plainKind = (kind: ChangeWire['kind']): string => kind.replace('CHANGE_KIND_', '').toLowerCase();

/** In the form of REST. */
function plainChange({ id, seq, at, who, kind, source, fields, entity, relationship }: ChangeWire): Plain {
  return {
    id,
    seq: Number(seq),
    at,
    ...(who !== undefined && { who }),
    change: plainKind(kind),
    source: plainSource(source),
    fields: plainFields(fields),
    ...(entity !== undefined && { entity: plainEntity(entity) }),
    ...(relationship !== undefined && { relationship: plainRelationship(relationship) }),
  };
}

function plainDifference(difference: DiffReplyWire['changes'][number]): Plain {
  const { kind, seq, at, source, fields, entity, relationship } = difference;
  const told = {
    change: plainKind(kind),
    seq: Number(seq),
    at,
    source: plainSource(source),
    fields: plainFields(fields),
  };
  if (entity !== undefined) {
    const { displayName, ...named } = entity;
    return { record: 'entity', ...told, ...named, display_name: displayName };
  }
  const { id, verb, from, to, key } = relationship ?? {};
  return { record: 'relationship', ...told, id, verb, from, to, ...(key !== undefined && { key }) };
}

async function restLines(query: string): Promise<readonly Json[]> {
  const { text } = await service.call('GET', `/v1/changes?${query}`);
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);
}

describe('Changes', () => {
  it.each([
    ['everything', {}, ''],
    ['a class', { class: 'User' }, '&class=User'],
    ['a query', { query: "FIND Host WITH state = 'up'" }, "&query=FIND Host WITH state = 'up'"],
  ])('tells what REST tells: %s', async (_, chosen, query) => {
    await history();

    const replies = await all({ from: '0', ...chosen });
    const lines = await restLines(`from=0${encodeURI(query)}`);

    expect(changesOf(replies).map(plainChange)).toEqual(lines.filter(({ id }) => id !== undefined));
    expect(changesOf(replies).length).toBeGreaterThan(0);
    expect(replies[0]?.position?.next).toBe(`${service.graph.epoch}.0`);
    expect({ end: { next: replies.at(-1)?.end?.next } }).toEqual(lines.at(-1));
  });

  it('sends a following reader what comes, and goes on behind any change', async () => {
    const stream = caller.changes({ follow: true });
    const { value: start } = (await stream.next()) as { value: ChangesReplyWire };
    await write('web', { state: 'up' });
    const { value: seen } = (await stream.next()) as { value: ChangesReplyWire };
    await stream.return(undefined);
    await write('web', { state: 'down' });
    const later = await all({ from: seen.change?.id ?? '' });

    expect(start.position?.next).toBe(`${service.graph.epoch}.0`);
    expect(seen.change?.entity?.key).toBe('web');
    expect(changesOf(later).map(({ fields }) => plainFields(fields))).toEqual([
      [{ name: 'state', old: 'up', new: 'down' }],
    ]);
  });

  it('ends when the service stops, with the place to go on', async () => {
    const seq = await write('web', {});
    const stream = caller.changes({ follow: true });
    await stream.next();
    const stopping = service.stop();
    const last = await stream.next();
    const { done } = await stream.next();
    await stopping;
    caller.close();
    await begin();

    expect(last.value?.end?.next).toBe(`${service.graph.epoch}.${seq}`);
    expect(done).toBe(true);
    expect(changesOf(await all({ from: last.value?.end?.next ?? '' }))).toEqual([]);
  });

  it.each([
    ['no place', { from: 'x' }, 'INVALID_ARGUMENT', { error: 'INVALID_REQUEST' }],
    ['the future', { from: '9' }, 'INVALID_ARGUMENT', { details: { last: 0 } }],
    ['another history', { from: 'another.0' }, 'FAILED_PRECONDITION', { error: 'CONFLICT' }],
    ['a join', { query: 'FIND a THAT b c' }, 'INVALID_ARGUMENT', { error: 'PQL_SYNTAX' }],
  ])('refuses %s', async (_, request, code, error) => {
    expect(await callFault(all(request))).toMatchObject({ status: code, error });
  });

  it('is refused without history, by the name of the setting', async () => {
    await end();
    await begin({ PLEXUS_HISTORY: 'off' });

    const fault = await callFault(all({ from: '0' }));

    expect(fault).toMatchObject({ status: 'FAILED_PRECONDITION', error: { error: 'BEYOND_HISTORY' } });
    expect(fault.details).toContain('PLEXUS_HISTORY');
  });

  it('fails behind the place to go on when reading fails on the way', async () => {
    await write('web', {});
    jest.spyOn(service.graph.feed, 'window').mockRejectedValue(new Error('a disk'));
    const got: ChangesReplyWire[] = [];
    const read = async (): Promise<void> => {
      for await (const reply of caller.client.changes({ from: '0' }, caller.metadata))
        got.push(reply as ChangesReplyWire);
    };

    expect(await callFault(read())).toMatchObject({ status: 'INTERNAL', error: { error: 'INTERNAL_ERROR' } });
    expect(got.map(({ position }) => position?.next)).toEqual(Array(2).fill(`${service.graph.epoch}.0`));
  });

  it('admits so many streams of one key, and another one after one is cancelled', async () => {
    const open = await Promise.all(
      Array.from({ length: 16 }, async () => {
        const stream = caller.changes({ follow: true });
        await stream.next();
        return stream;
      }),
    );
    const refused = await callFault(all({}));
    const overRest = await service.call('GET', '/v1/changes');
    await open[0]?.return(undefined);
    await service.metricIs('plexus_grpc_calls_open', 15);
    const admitted = await all({});
    await Promise.all(open.map((stream) => stream.return(undefined)));

    expect(refused).toMatchObject({ status: 'RESOURCE_EXHAUSTED', error: { error: 'TOO_BUSY' } });
    expect(overRest.status).toBe(429);
    expect(admitted.at(-1)?.end?.next).toBe(`${service.graph.epoch}.0`);
  });
});

describe('Diff', () => {
  const rest = (query: string): Promise<Json> => service.json(200, 'GET', `/v1/diff?${query}`);

  it.each([
    ['everything', {}, ''],
    ['a type', { type: 'user' }, '&type=user'],
  ])('tells what REST tells: %s', async (_, chosen, query) => {
    await history();

    const { from, to, changes, warnings, cursor } = await caller.diff({ from: '1', ...chosen });

    expect({
      from: Number(from),
      to: Number(to),
      changes: changes.map(plainDifference),
      warnings,
      cursor,
    }).toEqual(await rest(`from=1${query}`));
    expect(changes.length).toBeGreaterThan(0);
  });

  it('warns of a type that nothing has', async () => {
    await history();

    const { changes, warnings } = await caller.diff({ from: '1', type: 'usser' });

    expect(changes).toEqual([]);
    expect(warnings).toMatchObject([{ code: 'UNKNOWN_CLASS', nearest: [expect.stringMatching(/^user$/i)] }]);
  });

  it('goes on with its cursor, between the same moments', async () => {
    await history();
    const first = await caller.diff({ from: '0', limit: 2 });
    await write('late', {});
    const second = await caller.diff({ cursor: first.cursor ?? '', limit: 2 });

    expect(first.cursor).toBeDefined();
    expect([...first.changes, ...second.changes].map(plainDifference)).toEqual(
      (await rest(`from=0&to=${first.to}`))['changes'],
    );
  });

  it.each([
    ['a page of nothing', { from: '0', limit: 0 }, 'INVALID_ARGUMENT', 'limit: expected a whole number'],
    ['a page too large', { from: '0', limit: 10_001 }, 'INVALID_ARGUMENT', 'limit: expected a whole number'],
    ['no moment', {}, 'INVALID_ARGUMENT', 'from: expected a time'],
    ['the future', { from: '9' }, 'INVALID_ARGUMENT', 'from: '],
    ['another history', { from: 'another.0' }, 'FAILED_PRECONDITION', ''],
  ])('refuses %s', async (_, request, code, words) => {
    const fault = await callFault(caller.diff(request));

    expect(fault.status).toBe(code);
    expect(fault.details).toContain(words);
  });
});
