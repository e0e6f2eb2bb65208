import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { firstPartyConnectors, readConnector, type RunRecord } from '#connector';
import { NodeDisk } from '#disk';
import { entityId, relationshipId } from '#model';
import { TestService } from './support/test-service.ts';

const WEB = { type: 'host', key: 'web-01' };
const NGINX = { type: 'service', key: 'nginx' };
const ID = entityId(WEB.type, WEB.key);
const RUNS = { from: WEB, verb: 'RUNS', to: NGINX };

describe('several sources for one entity', () => {
  let service: TestService;

  beforeEach(async () => {
    service = await TestService.start();
  });
  afterEach(() => service.stop());

  function sync(connector: string, id: string, more: object): Promise<object> {
    return service.json(200, 'POST', '/v1/ingest/sync', { connector_id: connector, sync_id: id, ...more });
  }

  it('are listed with what they state, by priority', async () => {
    const entities = [{ ...WEB, class: 'Server', properties: { os: 'linux' } }, NGINX];
    await sync('cloud', '1', {
      priority: 7,
      entities,
      relationships: [{ ...RUNS, properties: { port: 80 } }],
    });
    const reply = await sync('scan', '1', { entities: [{ ...WEB, properties: { os: 'bsd', cpu: 4 } }] });

    expect(reply).toMatchObject({ entities_created: 0, entities_updated: 1 });
    expect(await service.json(200, 'GET', `/v1/entities/${ID}?sources=true`)).toMatchObject({
      class: 'Server',
      properties: { os: 'linux', cpu: 4 },
      sources: [
        { connector_id: 'cloud', priority: 7, class: 'Server', properties: { os: 'linux' } },
        { connector_id: 'scan', priority: 0, properties: { os: 'bsd', cpu: 4 } },
      ],
    });
    const link = relationshipId(ID, 'RUNS', entityId(NGINX.type, NGINX.key));
    expect(await service.json(200, 'GET', `/v1/relationships/${link}?sources=true`)).toMatchObject({
      sources: [{ connector_id: 'cloud', priority: 7, properties: { port: 80 } }],
    });
    expect(await service.json(200, 'GET', `/v1/entities/${ID}`)).not.toHaveProperty('sources');
  });

  it('takes a session’s priority', async () => {
    await sync('scan', '1', { entities: [{ ...WEB, properties: { os: 'bsd' } }] });
    const path = '/v1/ingest/sessions';
    const opened = await service.json(201, 'POST', path, { connector_id: 'low', sync_id: '1', priority: -2 });
    const session = `${path}/${String(opened['session_id'])}`;
    const batch = { entities: [{ ...WEB, properties: { os: 'linux' } }] };
    await service.json(200, 'PUT', `${session}/batches/1`, batch);
    const reply = await service.json(200, 'POST', `${session}/commit`);

    expect(opened).toMatchObject({ priority: -2 });
    expect(reply).toMatchObject({ entities_unchanged: 1 });
  });

  it.each([1.5, '1', 2 ** 53, true])('refuses the priority %j', async (priority) => {
    const body = { connector_id: 'scan', sync_id: '1', priority };

    expect(await service.json(400, 'POST', '/v1/ingest/sync', body)).toMatchObject({
      error: 'INVALID_REQUEST',
      details: { field: 'priority' },
    });
  });
});

describe('a connector’s file', () => {
  const options = { types: firstPartyConnectors(new NodeDisk()), environment: {} };

  it('gives its source a priority', async () => {
    const text = 'connector: synthetic\npriority: 4\nconfig: { hosts: 1, services: 1, users: 1 }\n';
    const service = await TestService.start({ connectors: [readConnector(text, 'demo.yaml', options)] });
    try {
      let run = (await service.json(202, 'POST', '/v1/connectors/demo/run')) as object as RunRecord;
      while (run.ended_at === null) {
        run = (await service.json(200, 'GET', `/v1/connectors/runs/${run.run_id}`)) as object as RunRecord;
      }
      const { entities } = await service.query('FIND host LIMIT 1');

      const id = String(entities[0]?.['id']);
      expect(await service.json(200, 'GET', `/v1/entities/${id}?sources=true`)).toMatchObject({
        sources: [{ connector_id: 'demo', priority: 4 }],
      });
    } finally {
      await service.stop();
    }
  });

  it('is refused with a priority that is no integer', () => {
    const text = 'connector: synthetic\npriority: high\n';

    expect(() => readConnector(text, 'demo.yaml', options)).toThrow(
      'demo.yaml:2:11: priority: expected an integer, got a string',
    );
  });
});
