import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defineConnector, firstPartyConnectors, readConnector, type RunRecord } from '#graph/connector';
import { NodeDisk } from '#platform/disk';
import { TestService } from './support/test-service.ts';

const DISK = new NodeDisk();

/** The data of the changing source; tests modify it. */
let hosts: readonly string[] = [];
let failure: Error | undefined;
let gate: Promise<unknown> = Promise.resolve();

const changing = defineConnector({
  name: 'changing',
  about: 'a source that a test changes',
  config: {},
  steps: () => [
    {
      id: 'hosts',
      emits: { entities: ['host'] },
      async run(context) {
        await gate;
        if (failure !== undefined) throw failure;
        for (const key of hosts)
          context.emitEntity({ type: 'host', key, properties: { name: key, owner: 'ann' } });
      },
    },
    {
      id: 'sites',
      emits: { entities: ['site'] },
      run: (context) => context.emitEntity({ type: 'site', key: 'berlin', class: 'Site' }),
    },
  ],
});

const TYPES = [...firstPartyConnectors(DISK), changing];
const configured = (text: string, file: string) =>
  readConnector(text, file, { types: TYPES, environment: {} });
const CONNECTORS = [
  configured('connector: synthetic\nconfig: { hosts: 10, services: 3, users: 2 }', 'demo.yaml'),
  configured(
    'connector: changing\nmappings: [{ verb: OWNED_BY, from: host, to: user, on: from.owner = to.name }]',
    'estate.yaml',
  ),
];

describe('connectors over HTTP', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start({ connectors: CONNECTORS });
  });
  afterAll(() => service.stop());

  const record = (answer: object): RunRecord => answer as RunRecord;

  async function ended(begun: RunRecord): Promise<RunRecord> {
    let state = begun;
    while (state.ended_at === null) {
      state = record(await service.json(200, 'GET', `/v1/connectors/runs/${state.run_id}`));
    }
    return state;
  }

  /** Runs a connector to its end. */
  async function run(id: string, body: object = {}): Promise<RunRecord> {
    return ended(record(await service.json(202, 'POST', `/v1/connectors/${id}/run`, body)));
  }

  async function runWith(keys: readonly string[], body: object = {}): Promise<RunRecord> {
    hosts = keys;
    failure = undefined;
    return run('estate', body);
  }

  const keysOf = async (pql: string) => (await service.query(pql)).entities.map(({ key }) => key);

  it('runs a connector and reports its steps and changes', async () => {
    const report = await run('demo');

    expect(report).toMatchObject({
      connector_id: 'demo',
      status: 'complete',
      entities: 15,
      mapped: 0,
      warnings: [],
    });
    expect(report.steps.map(({ id, wave, status }) => [id, wave, status])).toContainEqual([
      'runs',
      2,
      'done',
    ]);
    expect(report.sync).toMatchObject({ sync_id: report.run_id, entities_created: 15, entities_deleted: 0 });
    expect(await keysOf('FIND host')).toHaveLength(10);
  });

  it('lists the configured connectors with their last run and sync', async () => {
    await run('demo');

    const list = await service.json(200, 'GET', '/v1/connectors');

    expect(list['count']).toBe(2);
    expect(list['connectors']).toMatchObject([
      {
        id: 'demo',
        connector: 'synthetic',
        schedule: 'manual',
        running: false,
        last_run: { status: 'complete' },
        last_sync: { entities_unchanged: 15, synced_at: expect.stringMatching(/Z$/) },
      },
      { id: 'estate', connector: 'changing' },
    ]);
  });

  it('starts a run with 202 and no body, and rejects a second one with 409', async () => {
    const opened = Promise.withResolvers<undefined>();
    gate = opened.promise;

    const first = await service.json(202, 'POST', '/v1/connectors/estate/run');
    const second = await service.json(409, 'POST', '/v1/connectors/estate/run');
    opened.resolve(undefined);
    await ended(record(first));

    expect(second).toMatchObject({ error: 'CONFLICT', details: { run_id: first['run_id'] } });
  });

  it('deletes entities missing from the source, except of types that it could not read', async () => {
    await runWith(['a', 'b']);
    const shrunk = await runWith(['a']);
    failure = new Error('the listing broke off');
    const partial = await run('estate');

    expect(shrunk.sync).toMatchObject({ entities_deleted: 1 });
    expect(partial).toMatchObject({ status: 'partial', partial_types: ['host'] });
    expect(partial.steps[0]).toMatchObject({ status: 'failed', reason: 'the listing broke off' });
    expect(partial.sync).toMatchObject({ entities_deleted: 0 });
    expect(await keysOf("FIND host WITH owner = 'ann'")).toEqual(['a']);
  });

  it('refuses to delete too much without the override', async () => {
    await runWith(Array.from({ length: 40 }, (_, index) => `many-${index}`));

    const refused = await runWith(['many-0']);
    const forced = await runWith(['many-0'], { force: true });

    expect(refused).toMatchObject({ status: 'failed', reason: expect.stringContaining('would drop 39') });
    expect(refused.sync).toBeUndefined();
    expect(forced).toMatchObject({ status: 'complete', sync: { entities_deleted: 39 } });
  });

  it('derives relationships across two sources again at each sync', async () => {
    const user = (name: string) => ({
      connector_id: 'people',
      entities: [{ type: 'user', key: `people/${name}`, properties: { name } }],
    });
    await service.json(200, 'POST', '/v1/ingest/write', user('ann'));

    const mapped = await runWith(['m1', 'm2']);
    const found = await keysOf("FIND host THAT OWNED_BY user WITH name = 'ann'");
    await service.json(200, 'POST', '/v1/ingest/write', {
      connector_id: 'people',
      entities: [{ type: 'user', key: 'people/ann', properties: { name: 'anna' } }],
    });
    const unmapped = await runWith(['m1', 'm2']);

    expect(mapped).toMatchObject({ mapped: 2, sync: { relationships_created: 2 } });
    expect(found).toEqual(['m1', 'm2']);
    expect(unmapped).toMatchObject({ mapped: 0, sync: { relationships_deleted: 2 } });
  });

  it('rejects unknown connectors and unknown body fields', async () => {
    const nobody = await service.json(404, 'POST', '/v1/connectors/nobody/run', {});
    const nothing = await service.json(404, 'GET', '/v1/connectors/runs/nothing');
    const typo = await service.json(400, 'POST', '/v1/connectors/demo/run', { forse: true });
    const text = await service.json(400, 'POST', '/v1/connectors/demo/run', { force: 'yes' });

    expect([nobody['error'], nothing['error']]).toEqual(['NOT_FOUND', 'NOT_FOUND']);
    expect([typo['message'], text['message']]).toEqual([
      'forse: unknown field',
      'force: expected true or false',
    ]);
  });
});
