import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { restoreStore } from '#graph/storage';
import { NodeDisk } from '#platform/disk';
import { runProgram } from './support/built-program.ts';
import { tokenOf } from './support/seq-token.ts';
import { type Answer, bodyOf, TestService } from './support/test-service.ts';
import { TurnedClock } from './support/turned-clock.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let directory: string;
let clock: TurnedClock;
const services: TestService[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-history-'));
  clock = new TurnedClock();
});

afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.stop()));
  await rm(directory, { recursive: true, force: true });
});

async function started(
  options: { readonly environment?: Record<string, string> } = {},
): Promise<TestService> {
  const service = await TestService.start({ directory: join(directory, 'data'), clock, ...options });
  services.push(service);
  return service;
}

const ann = { type: 'user', key: 'ann', class: 'User' };
const table = { type: 'table', key: 'salaries', class: 'Database' };

/** The user, and the table that she may read as long as a group gives her the right. */
function estate(isAllowed: boolean, owner: string): object {
  return {
    connector_id: 'directory',
    entities: [
      { ...ann, properties: { owner } },
      { ...table, properties: {} },
    ],
    relationships: isAllowed
      ? [
          {
            from: { type: 'user', key: 'ann' },
            verb: 'ALLOWS',
            to: { type: 'table', key: 'salaries' },
            properties: {},
          },
        ]
      : [],
  };
}

async function sync(service: TestService, id: string, body: object): Promise<number> {
  clock.turn(HOUR_MS);
  const answer = await service.call('POST', '/v1/ingest/sync', { ...body, sync_id: id, force: true });
  expect(answer.status).toBe(200);
  return tokenOf(answer).seq;
}

/** A reply without what differs from run to run. */
function shown(answer: Answer): object {
  return { ...bodyOf(answer), took_ms: 0, cursor: undefined };
}

const QUESTIONS = [
  'FIND user',
  "FIND user WITH owner = 'it' RETURN COUNT",
  'FIND user THAT ALLOWS table AS t RETURN t._key, t.display_name',
  "FIND SHORTEST PATH FROM user WITH _key = 'ann' TO table",
  "FIND BLAST RADIUS FROM user WITH _key = 'ann'",
  'FIND user THAT !ALLOWS table',
  'FIND * GROUP BY _type',
  'FIND printer',
  "FIND user WITH office = 'Bern'",
];

describe('a query as of a moment', () => {
  it('has the answers and warnings of then, also after a restart and a restore', async () => {
    const service = await started();
    const moments: { readonly asOf: (string | number)[]; readonly answers: readonly object[] }[] = [];
    const ask = async (of: TestService, asOf?: string | number): Promise<readonly object[]> => {
      const answers: object[] = [];
      for (const pql of QUESTIONS)
        answers.push(
          shown(await of.call('POST', '/v1/query', { pql, ...(asOf !== undefined && { as_of: asOf }) })),
        );
      return answers;
    };
    for (const [id, isAllowed, owner] of [
      ['1', false, 'hr'],
      ['2', true, 'it'],
      ['3', false, 'it'],
    ] as const) {
      const seq = await sync(service, id, estate(isAllowed, owner));
      moments.push({ asOf: [seq, new Date(clock.nowMs()).toISOString()], answers: await ask(service) });
    }
    const check = async (of: TestService): Promise<void> => {
      for (const { asOf, answers } of moments)
        for (const moment of asOf) expect(await ask(of, moment)).toEqual(answers);
    };

    await check(service);
    const copy = join(directory, 'copy');
    await restoreStore(new NodeDisk(), copy, service.graph.backupStream());
    await service.stop();
    services.length = 0;
    await check(await started());
    const restored = await TestService.start({ directory: copy, clock });
    services.push(restored);
    await check(restored);
  });

  it('is written in PQL, too, and goes on behind a cursor and as lines', async () => {
    const service = await started();
    const seq = await sync(service, '1', estate(true, 'it'));
    await sync(service, '2', { ...estate(false, 'it'), entities: [] });

    const page = await service.call('POST', '/v1/query', { pql: `FIND * AS OF ${String(seq)}`, limit: 1 });
    const { cursor, count, snapshot_version } = bodyOf(page) as Record<string, unknown>;
    const next = await service.call('POST', '/v1/query', { cursor, limit: 1 });
    const lines = await service.call('POST', '/v1/query', {
      pql: `FIND user AS of AS OF ${String(seq)} RETURN of.owner`,
    });
    const right = await service.call('POST', '/v1/query', {
      pql: `FIND user AS of RETURN of.owner AS OF ${String(seq)}`,
    });

    expect({ count, snapshot_version }).toEqual({ count: 2, snapshot_version: seq });
    expect(bodyOf(next)).toMatchObject({ count: 2, entities: [expect.objectContaining({ type: 'user' })] });
    expect(lines.status).toBe(400);
    expect(bodyOf(right)).toMatchObject({ columns: ['of.owner'], rows: [['it']] });
  });

  it('does not take a client back in time', async () => {
    const service = await started();
    const first = await sync(service, '1', estate(true, 'it'));
    const last = await sync(service, '2', estate(false, 'it'));

    const answer = await service.call('POST', '/v1/query', { pql: 'FIND user', as_of: first });

    expect(tokenOf(answer).seq).toBe(last);
  });

  it('is refused before the history, in the future, of another history, and twice', async () => {
    const service = await started();
    const seq = await sync(service, '1', estate(true, 'it'));
    const day = (days: number): string => new Date(clock.nowMs() + days * DAY_MS).toISOString();
    const refusalOf = async (pql: string, asOf?: unknown): Promise<unknown> => {
      const answer = await service.call('POST', '/v1/query', { pql, as_of: asOf });
      return [answer.status, (JSON.parse(answer.text) as { readonly error: string }).error];
    };

    expect(await refusalOf('FIND user', day(-1))).toEqual([410, 'BEYOND_HISTORY']);
    expect(await refusalOf('FIND user', day(1))).toEqual([400, 'INVALID_REQUEST']);
    expect(await refusalOf('FIND user', seq + 1)).toEqual([400, 'INVALID_REQUEST']);
    expect(await refusalOf('FIND user', `another.${String(seq)}`)).toEqual([409, 'CONFLICT']);
    expect(await refusalOf(`FIND user AS OF ${String(seq)}`, seq)).toEqual([400, 'PQL_SYNTAX']);
    expect(await refusalOf("FIND user AS OF 'yesterday'")).toEqual([400, 'PQL_SYNTAX']);
    expect(await refusalOf('FIND user AS OF -1')).toEqual([400, 'PQL_SYNTAX']);
    for (const malformed of ['yesterday', -1, 1.5, true, {}, '2026-02-30'])
      expect(await refusalOf('FIND user', malformed)).toEqual([400, 'INVALID_REQUEST']);
  });

  it.each(['PLEXUS_RETENTION', 'PLEXUS_HISTORY'])('is refused by a service with %s=off', async (name) => {
    const service = await started({ environment: { [name]: 'off' } });
    const seq = await sync(service, '1', estate(true, 'it'));

    const answer = await service.call('POST', '/v1/query', { pql: 'FIND user', as_of: seq });

    expect(bodyOf(answer)).toMatchObject({ error: 'BEYOND_HISTORY' });
  });
});

describe('plexus query --as-of', () => {
  it('asks a server, and a data directory', async () => {
    const service = await started();
    const seq = await sync(service, '1', estate(true, 'it'));
    await sync(service, '2', estate(false, 'hr'));
    const args = ['query', 'FIND user RETURN user.owner', '--format', 'csv', '--as-of', String(seq)];

    const asked = await runProgram([...args, '--url', service.url]);
    await service.stop();
    services.length = 0;
    const read = await runProgram([...args, '--data-dir', join(directory, 'data')]);

    for (const { stdout } of [asked, read]) expect(stdout).toBe('user.owner\r\nit\r\n');
  });
});
