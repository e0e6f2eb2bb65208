import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type ConfiguredConnector,
  defineConnector,
  firstPartyConnectors,
  readConnector,
  type RunRecord,
} from '#graph/connector';
import { entityId, relationshipId } from '#graph/model';
import { NodeDisk } from '#platform/disk';
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

  it('are listed with their statements by priority', async () => {
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

  it('use the priority of a session', async () => {
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

  it('sets the priority of its source', async () => {
    const text = 'connector: synthetic\npriority: 4\nconfig: { hosts: 1, services: 1, users: 1 }\n';
    const service = await TestService.start({ connectors: [readConnector(text, 'demo.yaml', options)] });
    try {
      await runOf(service, 'demo');
      const { entities } = await service.query('FIND host LIMIT 1');

      const id = String(entities[0]?.['id']);
      expect(await service.json(200, 'GET', `/v1/entities/${id}?sources=true`)).toMatchObject({
        sources: [{ connector_id: 'demo', priority: 4 }],
      });
    } finally {
      await service.stop();
    }
  });

  it('with an unset variable fails the runs of its own connector only', async () => {
    const read = (text: string, file: string) => readConnector(text, file, options);
    const directory = 'connector: ldap\nconfig: { url: ldap://x, base_dn: dc=x, password_env: GONE }\n';
    const connectors = [read(directory, 'corp.yaml'), read('connector: synthetic\n', 'demo.yaml')];
    const service = await TestService.start({ connectors });
    try {
      const { connectors: list } = await service.json(200, 'GET', '/v1/connectors');
      const reason = 'config.password_env: the environment variable GONE is not set';

      expect(list).toMatchObject([
        { id: 'corp', fault: reason },
        { id: 'demo', fault: null },
      ]);
      expect(await runOf(service, 'corp')).toMatchObject({ status: 'failed', reason });
      expect(await runOf(service, 'demo')).toMatchObject({ status: 'complete' });
    } finally {
      await service.stop();
    }
  });

  it('is rejected with a priority that is not an integer', () => {
    const text = 'connector: synthetic\npriority: high\n';

    expect(() => readConnector(text, 'demo.yaml', options)).toThrow(
      'demo.yaml:2:11: priority: expected an integer',
    );
  });
});

describe('a connector with unresolved members', () => {
  /** Each run reads one member less and reports the type as incomplete. */
  function shrinking(): ConfiguredConnector {
    let members = 40;
    const type = defineConnector({
      name: 'shrinking',
      about: 'groups with fewer and fewer members',
      config: {},
      steps: () => [
        {
          id: 'members',
          emits: { entities: ['group', 'user'], relationships: ['MEMBER_OF'] },
          run(context) {
            const group = { type: 'group', key: 'all' };
            context.emitEntity(group);
            for (let n = 0; n < 40; n++) context.emitEntity({ type: 'user', key: String(n) });
            for (let n = 0; n < members; n++) {
              context.emitRelationship({
                from: { type: 'user', key: String(n) },
                verb: 'MEMBER_OF',
                to: group,
              });
            }
            if (members < 40) context.incomplete(['MEMBER_OF'], 'a page of members did not come');
            members -= 30;
          },
        },
      ],
    });
    return readConnector('connector: shrinking\n', 'dir.yaml', { types: [type], environment: {} });
  }

  it('ends as partial and deletes nothing of the incomplete type', async () => {
    const service = await TestService.start({ connectors: [shrinking()] });
    try {
      expect(await runOf(service, 'dir')).toMatchObject({ status: 'complete' });
      const second = await runOf(service, 'dir');

      expect(second).toMatchObject({
        status: 'partial',
        partial_types: ['MEMBER_OF'],
        warnings: ['members: a page of members did not come'],
        sync: { relationships_deleted: 0 },
      });
      expect(service.graph.stats().verb_counts).toEqual({ MEMBER_OF: 40 });
    } finally {
      await service.stop();
    }
  });
});

describe('a connector with a member that cannot be resolved', () => {
  const GROUPS = ['ops', 'dev'];
  const USERS = ['ann', 'bob', 'eve'];
  const memberOf = (user: string, group: string) => ({
    from: { type: 'user', key: user },
    verb: 'MEMBER_OF',
    to: { type: 'group', key: group },
  });

  /** In the first run all are members of both groups; in the second ops has one unknown member. */
  function losing(how: 'unresolved' | 'external'): ConfiguredConnector {
    let run = 0;
    const type = defineConnector({
      name: 'losing',
      about: 'groups that lose their members',
      config: {},
      steps: () => [
        {
          id: 'members',
          emits: { entities: ['group', 'user'], relationships: ['MEMBER_OF'] },
          run(context) {
            run++;
            for (const key of GROUPS) {
              context.emitEntity({ type: 'group', key, properties: { admin: run === 1 ? 'ann' : 'eve' } });
              for (const user of run === 1 ? USERS.slice(1) : [])
                context.emitRelationship(memberOf(user, key));
            }
            for (const key of USERS) context.emitEntity({ type: 'user', key });
            if (run === 1) return;
            const owner = { type: 'group', key: 'ops' };
            context[how]({ owner, end: 'to', verb: 'MEMBER_OF', reason: 'ops: no user zoe' });
            context.ignored('photo', 2);
          },
        },
      ],
    });
    const mapping = 'mappings: [{ verb: MEMBER_OF, from: user, to: group, on: from._key = to.admin }]';
    return readConnector(`connector: losing\n${mapping}\n`, 'dir.yaml', { types: [type], environment: {} });
  }

  const pairs = async (service: TestService) => {
    const found = await service.query('FIND user AS u THAT MEMBER_OF group AS g RETURN u._key, g._key');
    return (found['rows'] as readonly string[][]).map((row) => row.join(' ')).sort();
  };

  it('keeps the members of its group, those of a mapping too, and deletes all others', async () => {
    const service = await TestService.start({ connectors: [losing('unresolved')] });
    try {
      await runOf(service, 'dir');
      const second = await runOf(service, 'dir');

      expect(second).toMatchObject({
        status: 'partial',
        partial_types: [],
        unresolved_count: 1,
        external_count: 0,
        ignored: { photo: 2 },
        warnings: ['members: ops: no user zoe'],
        sync: { relationships_deleted: 2, relationships_created: 0 },
      });
      expect(await pairs(service)).toEqual(['ann ops', 'bob ops', 'eve dev', 'eve ops']);
    } finally {
      await service.stop();
    }
  });

  it('keeps nothing for a member that is elsewhere', async () => {
    const service = await TestService.start({ connectors: [losing('external')] });
    try {
      await runOf(service, 'dir');
      const second = await runOf(service, 'dir');

      expect(second).toMatchObject({ status: 'complete', unresolved_count: 0, external_count: 1 });
      expect(await pairs(service)).toEqual(['eve dev', 'eve ops']);
    } finally {
      await service.stop();
    }
  });
});

/** Runs a connector to its end. */
async function runOf(service: TestService, id: string): Promise<RunRecord> {
  let run = (await service.json(202, 'POST', `/v1/connectors/${id}/run`)) as object as RunRecord;
  while (run.ended_at === null) {
    run = (await service.json(200, 'GET', `/v1/connectors/runs/${run.run_id}`)) as object as RunRecord;
  }
  return run;
}
