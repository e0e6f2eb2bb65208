import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import {
  BATCH_EXAMPLE,
  BULK_EXAMPLE,
  EXAMPLE_ENTITY_ID,
  EXAMPLE_QUERY,
  EXAMPLE_RELATIONSHIP_ID,
  EXAMPLE_RULE,
  QUERY_EXAMPLES,
  QUERY_SET_EXAMPLE,
  RULES_BODY,
  SESSION_EXAMPLE,
  SYNC_EXAMPLE,
  WRITE_EXAMPLE,
} from '#graph/api/http';
import { firstPartyConnectors, readConnector } from '#graph/connector';
import { NodeDisk } from '#platform/disk';
import { ESTATE } from './support/estate.ts';
import { bodyOf, TestService } from './support/test-service.ts';

interface Response {
  readonly content?: Readonly<
    Record<
      string,
      {
        readonly example?: unknown;
        readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
      }
    >
  >;
}

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema?: { readonly example?: string | number; readonly enum?: readonly string[] };
  }[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly examples?: Readonly<Record<string, { value: unknown }>> }>
    >;
  };
  readonly responses: Readonly<Record<string, Response | undefined>>;
}

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const NO_OPERATION: Operation = { operationId: '', responses: {} };

const ENDPOINTS = [
  'delete /v1/class-styles/{name}',
  'delete /v1/entities/{id}',
  'delete /v1/findings/{id}/decision',
  'delete /v1/policies/{id}',
  'delete /v1/queries/{name}',
  'delete /v1/relationships/{id}',
  'delete /v1/views/{name}',
  'get /metrics',
  'get /v1/backup',
  'get /v1/changes',
  'get /v1/class-styles',
  'get /v1/connectors',
  'get /v1/connectors/runs/{run_id}',
  'get /v1/connectors/{id}/runs',
  'get /v1/diff',
  'get /v1/entities/{id}',
  'get /v1/entities/{id}/changes',
  'get /v1/entities/{id}/findings',
  'get /v1/entities/{id}/neighbors',
  'get /v1/findings',
  'get /v1/findings/{id}',
  'get /v1/health',
  'get /v1/ingest/sessions/{id}',
  'get /v1/notifications',
  'get /v1/policies',
  'get /v1/policies/evaluations',
  'get /v1/policies/evaluations/{evaluation_id}',
  'get /v1/policies/posture',
  'get /v1/policies/posture/history',
  'get /v1/policies/{id}',
  'get /v1/policies/{id}/findings',
  'get /v1/queries',
  'get /v1/queries/{name}',
  'get /v1/relationships/{id}',
  'get /v1/schema',
  'get /v1/search',
  'get /v1/sources',
  'get /v1/stats',
  'get /v1/views',
  'get /v1/views/{name}',
  'post /v1/connectors/runs/{run_id}/stop',
  'post /v1/connectors/{id}/run',
  'post /v1/diff',
  'post /v1/entities/{id}/forget',
  'post /v1/ingest/bulk',
  'post /v1/ingest/sessions',
  'post /v1/ingest/sessions/{id}/abort',
  'post /v1/ingest/sessions/{id}/commit',
  'post /v1/ingest/sync',
  'post /v1/ingest/write',
  'post /v1/policies',
  'post /v1/policies/diff',
  'post /v1/policies/evaluate',
  'post /v1/queries',
  'post /v1/query',
  'post /v1/query/format',
  'put /v1/class-styles/{name}',
  'put /v1/findings/{id}/assignment',
  'put /v1/findings/{id}/decision',
  'put /v1/ingest/sessions/{id}/batches/{n}',
  'put /v1/policies/{id}',
  'put /v1/queries/{name}',
  'put /v1/views/{name}',
];

const DEMO = readConnector('connector: synthetic', 'demo.yaml', {
  types: firstPartyConnectors(new NodeDisk()),
  environment: {},
});

const NOTIFICATIONS = `channels: { ops: { type: file, path: ./notified.ndjson } }
notifications: [{ on: [opened, resolved], to: ops }]
`;

describe('the OpenAPI document', () => {
  const services: TestService[] = [];
  let service: TestService;
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-docs-'));
  });
  beforeEach(async () => {
    const notifications = join(directory, 'notifications.yaml');
    await writeFile(notifications, NOTIFICATIONS);
    const environment = { PLEXUS_NOTIFICATIONS: notifications };
    service = await TestService.start({ connectors: [DEMO], environment });
    services.push(service);
    await service.json(200, 'POST', '/v1/ingest/sync', ESTATE);
  });
  afterAll(async () => {
    await Promise.all(services.map((each) => each.stop()));
    await rm(directory, { recursive: true, force: true });
  });

  const wholeDocument = async (): Promise<Document> =>
    JSON.parse((await service.call('GET', '/docs-json')).text) as Document;

  /** The product's own endpoints; added controllers have their own documentation. */
  const document = async (): Promise<Document> => {
    const { paths, ...rest } = await wholeDocument();
    const own = Object.entries(paths).flatMap(([path, methods]) => {
      const kept = Object.entries(methods).filter(([method]) => ENDPOINTS.includes(`${method} ${path}`));
      return kept.length === 0 ? [] : [[path, Object.fromEntries(kept)] as const];
    });
    return { ...rest, paths: Object.fromEntries(own) };
  };

  it('describes every endpoint with its errors', async () => {
    const { openapi, paths } = await document();

    const found = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(openapi).toMatch(/^3\./);
    expect(found.sort()).toEqual(ENDPOINTS);
    for (const [path, methods] of Object.entries(paths)) {
      for (const { summary, responses, requestBody } of Object.values(methods)) {
        expect([path, summary]).toEqual([path, expect.stringMatching(/./)]);
        expect([path, '401' in responses]).toEqual([path, path !== '/v1/health']);
        const isBounded = requestBody !== undefined && path !== '/v1/ingest/bulk';
        expect([path, '413' in responses]).toEqual([path, isBounded]);
      }
    }
  });

  it('lists the values of query-string enums', async () => {
    const { paths } = await document();

    const choices: Record<string, readonly string[]> = {};
    for (const { name, schema } of Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ parameters = [] }) => parameters)) {
      if (schema?.enum === undefined) continue;
      choices[name] = [...new Set([...(choices[name] ?? []), ...schema.enum])];
    }
    expect(choices).toEqual({
      direction: ['in', 'out', 'any'],
      dry_run: ['true', 'false'],
      enabled: ['true', 'false'],
      flatten: ['true', 'false'],
      follow: ['true', 'false'],
      format: ['json', 'yaml', 'csv', 'sarif'],
      large_integers: ['string'],
      mode: ['replace', 'merge'],
      on_dangling: ['refuse', 'skip', 'stub'],
      order: ['asc', 'desc'],
      origin: ['file', 'api'],
      ready: ['', 'true', 'false'],
      severity: ['critical', 'high', 'medium', 'low', 'info'],
      sort: ['severity', 'opened', 'rule', 'label', 'class', 'assignee', 'until'],
      sources: ['true', 'false'],
      state: ['pending', 'delivered', 'given_up'],
    });
  });

  it('has request examples that succeed', async () => {
    const { paths } = await document();
    const opened = await service.json(201, 'POST', '/v1/ingest/sessions', {
      connector_id: 'x',
      sync_id: 'x',
    });
    await service.json(200, 'POST', '/v1/policies', RULES_BODY);
    await service.json(200, 'POST', '/v1/queries', QUERY_SET_EXAMPLE);
    await service.json(200, 'PUT', pathOf('/v1/views/{name}', paths['/v1/views/{name}']?.['get'], {}), {
      text: 'FIND host',
    });
    const evaluation = await service.json(200, 'POST', '/v1/policies/evaluate', {});
    let demo = await service.json(202, 'POST', '/v1/connectors/demo/run');
    while (demo['ended_at'] === null) {
      demo = await service.json(200, 'GET', `/v1/connectors/runs/${String(demo['run_id'])}`);
    }
    const ids = {
      id: String(opened['session_id']),
      evaluation_id: String(evaluation['evaluation_id']),
      run_id: String(demo['run_id']),
    };
    const run: string[] = [];

    for (const [template, methods] of Object.entries(paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        if (method === 'delete' || /\/(abort|forget)$/.test(template)) continue;
        const path = pathOf(template, operation, ids);
        for (const { body, type } of bodiesOf(operation)) {
          const answer = await service.call(method.toUpperCase(), path, body, type);
          run.push(`${method} ${path} ${answer.status}`);
          expect([path, body, answer.status < 300, answer.text]).toEqual([path, body, true, answer.text]);
          expect(Object.keys(operation.responses)).toContain(String(answer.status));
        }
      }
    }
    expect(run.length).toBeGreaterThan(20);
  });

  it('shows the actual replies to the examples of policies, saved queries and connectors', async () => {
    const { paths } = await document();
    const shown = (method: string, path: string, status: number) =>
      settled(paths[path]?.[method]?.responses[String(status)]?.content?.['application/json']?.example);
    const answers: (readonly [method: string, path: string, status: number, answer: unknown])[] = [];
    const ask = async (
      method: string,
      template: string,
      ids: Record<string, string> = {},
      body?: unknown,
    ) => {
      const operation = paths[template]?.[method];
      if (operation === undefined) throw new Error(`${method} ${template} is not documented`);
      const answer = await service.call(method.toUpperCase(), pathOf(template, operation, ids), body);
      const reply = bodyOf(answer);
      answers.push([method, template, answer.status, settled(reply)]);
      return reply;
    };
    await ask('post', '/v1/policies', {}, RULES_BODY);
    const evaluation = await ask('post', '/v1/policies/evaluate', {}, {});
    while ((await service.json(200, 'GET', '/v1/notifications?state=delivered'))['count'] === 0);
    await ask('get', '/v1/notifications');
    await ask('get', '/v1/policies/posture');
    await ask('get', '/v1/policies/posture/history');
    await ask('get', '/v1/policies/{id}/findings');
    await ask('get', '/v1/entities/{id}/findings');
    await ask('get', '/v1/policies');
    await ask('get', '/v1/policies/{id}');
    await ask('put', '/v1/policies/{id}', {}, EXAMPLE_RULE);
    await ask('get', '/v1/policies/evaluations');
    const ids = { evaluation_id: String(evaluation['evaluation_id']) };
    await ask('get', '/v1/policies/evaluations/{evaluation_id}', ids);
    await ask('post', '/v1/queries', {}, QUERY_SET_EXAMPLE);
    await ask('get', '/v1/queries');
    await ask('put', '/v1/queries/{name}', {}, EXAMPLE_QUERY);
    await ask('get', '/v1/queries/{name}');
    for (const [template, list] of [
      ['/v1/views/{name}', '/v1/views'],
      ['/v1/class-styles/{name}', '/v1/class-styles'],
    ] as const) {
      const [body] = bodiesOf(paths[template]?.['put'] ?? NO_OPERATION);
      await ask('put', template, {}, body?.body);
      if (paths[template]?.['get'] !== undefined) await ask('get', template);
      await ask('get', list);
    }
    const { run_id: runId } = await ask('post', '/v1/connectors/{id}/run');
    while ((await service.json(200, 'GET', `/v1/connectors/runs/${String(runId)}`))['ended_at'] === null);
    await ask('get', '/v1/connectors/runs/{run_id}', { run_id: String(runId) });
    await ask('get', '/v1/connectors/{id}/runs');
    await ask('get', '/v1/connectors');
    await decideExample(service, paths);
    await ask('get', '/v1/findings/{id}');
    await ask('get', '/v1/findings');
    await ask('post', '/v1/entities/{id}/forget');

    for (const [method, path, status, answer] of answers) {
      expect([method, path, status, shown(method, path, status)]).toEqual([method, path, status, answer]);
    }
  });

  it('shows the actual replies to its other examples', async () => {
    const answers = await replies(service);
    if (process.env['UPDATE_GOLDEN'] === '1') await writeReplies(answers);

    const { paths } = await document();
    const shown = new Map(
      Object.values(paths)
        .flatMap((methods) => Object.values(methods))
        .map((operation) => [operation.operationId, exampleOf(operation)]),
    );
    for (const [operationId, reply] of Object.entries(answers)) {
      expect([operationId, settled(shown.get(operationId))]).toEqual([operationId, settled(reply)]);
    }
  });

  it('has a unique id for each operation, and an example of each reply and error', async () => {
    const { paths } = await document();
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));

    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operationId, responses } of operations) {
      for (const [status, response] of Object.entries(responses)) {
        for (const [type, media] of Object.entries(response?.content ?? {})) {
          const hasExample = 'example' in media || 'examples' in media;
          expect([operationId, status, type, hasExample]).toEqual([operationId, status, type, true]);
        }
        const types = Object.keys(response?.content ?? {});
        const isError = Number(status) >= 400;
        expect([operationId, status, isError ? types : []]).toEqual([
          operationId,
          status,
          isError ? ['application/json'] : [],
        ]);
      }
    }
  });

  it('is loaded by a page that does not contain it', async () => {
    const page = await service.call('GET', '/docs');
    const script = await service.call('GET', '/docs/swagger-ui-bundle.js');

    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(page.text).toContain('<label for="key">API key</label>');
    expect(page.text).not.toContain('/v1/');
    expect(script.text.length).toBeGreaterThan(100_000);
  });
});

/** Sends the examples of an assignment and of a decision. */
async function decideExample(service: TestService, paths: Document['paths']): Promise<void> {
  for (const part of ['assignment', 'decision']) {
    const template = `/v1/findings/{id}/${part}`;
    const operation = paths[template]?.['put'] ?? NO_OPERATION;
    const [body] = bodiesOf(operation);
    await service.json(200, 'PUT', pathOf(template, operation, {}), body?.body);
  }
}

/** The replies to the examples of the documentation, in the shape of `ReplyExamples`. */
async function replies(service: TestService): Promise<Record<string, object>> {
  const ask = async (method: string, path: string, body?: unknown) => ({
    value: bodyOf(await service.call(method, path, body)),
  });
  const query = async (name: keyof typeof QUERY_EXAMPLES) =>
    (await ask('POST', '/v1/query', QUERY_EXAMPLES[name].value)).value;
  const found: Record<string, object> = {
    getHealth: await ask('GET', '/v1/health'),
    getStats: await ask('GET', '/v1/stats'),
    getSchema: await ask('GET', '/v1/schema'),
    search: await ask('GET', '/v1/search?q=web&limit=3'),
    listSources: await ask('GET', '/v1/sources'),
    diff: await ask('GET', '/v1/diff?from=0&type=secret'),
    diffQuery: await ask('POST', '/v1/diff', { pql: 'FIND edr_agent RETURN _key', from: 0 }),
    query: {
      named: {
        absence: await query('absence'),
        groups: await query('groups'),
        hops: await query('hops'),
        explain: await query('explain'),
      },
    },
    getEntity: await ask('GET', `/v1/entities/${EXAMPLE_ENTITY_ID}`),
    getEntityChanges: await ask('GET', `/v1/entities/${EXAMPLE_ENTITY_ID}/changes`),
    getNeighbors: await ask('GET', `/v1/entities/${EXAMPLE_ENTITY_ID}/neighbors?limit=1`),
    getRelationship: await ask('GET', `/v1/relationships/${EXAMPLE_RELATIONSHIP_ID}`),
    openSession: await ask('POST', '/v1/ingest/sessions', SESSION_EXAMPLE),
  };
  const session = async () =>
    String((await service.json(201, 'POST', '/v1/ingest/sessions', SESSION_EXAMPLE))['session_id']);
  const path = `/v1/ingest/sessions/${await session()}`;
  found['putBatch'] = await ask('PUT', `${path}/batches/1`, BATCH_EXAMPLE);
  found['getSession'] = await ask('GET', path);
  found['commitSession'] = await ask('POST', `${path}/commit`, {});
  found['abortSession'] = await ask('POST', `/v1/ingest/sessions/${await session()}/abort`, {});
  found['sync'] = await ask('POST', '/v1/ingest/sync', SYNC_EXAMPLE);
  found['write'] = await ask('POST', '/v1/ingest/write', WRITE_EXAMPLE);
  const lines = { 'Content-Type': 'application/x-ndjson' };
  await service.json(200, 'POST', '/v1/policies', RULES_BODY);
  found['diffFindings'] = await ask('POST', '/v1/policies/diff', { from: 1, limit: 2 });
  found['bulkLoad'] = { value: bodyOf(await service.call('POST', '/v1/ingest/bulk', BULK_EXAMPLE, lines)) };
  return found;
}

async function writeReplies({ query, ...answers }: Record<string, object>): Promise<void> {
  const { diff, diffQuery, diffFindings, getEntityChanges, ...others } = answers;
  await writeExamples('reply-examples.ts', 'REPLY_EXAMPLES', others);
  const diffs = { diff, diffQuery, diffFindings, getEntityChanges };
  await writeExamples('diff/diff-reply-examples.ts', 'DIFF_REPLY_EXAMPLES', diffs);
  await writeExamples('query/query-reply-examples.ts', 'QUERY_REPLY_EXAMPLES', query);
}

async function writeExamples(path: string, name: string, value: unknown): Promise<void> {
  const file = fileURLToPath(new URL(`../../../libs/graph/api/http/src/${path}`, import.meta.url));
  const about = '/** What operations answered; `UPDATE_GOLDEN=1` on their test writes it anew. */';
  const text = `${about}\nexport const ${name} = ${JSON.stringify(value)};\n`;
  await writeFile(file, await format(text, { ...(await resolveConfig(file)), filepath: file }));
}

function exampleOf({ responses }: Operation): unknown {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const { example, examples } = success?.content?.['application/json'] ?? {};
  if (examples === undefined) return { value: example };
  return { named: Object.fromEntries(Object.entries(examples).map(([name, { value }]) => [name, value])) };
}

/** The reply without the values that differ between runs. */
function settled(reply: unknown): unknown {
  const isUnsettled = (name: string) =>
    /^(evaluation_id|snapshot_version|run_id|sync_id|first_seen|since|session_id|(.*_)?(at|ms|bytes|seconds))$/.test(
      name,
    );
  const isDelivery = (value: unknown) => typeof value === 'object' && value !== null && 'next_at' in value;
  return JSON.parse(
    JSON.stringify(reply ?? null, (name, value: unknown) => {
      if (isUnsettled(name) && value !== null) return typeof value;
      return isDelivery(value) ? Object.assign({}, value, { id: 'string' }) : value;
    }),
  );
}

function pathOf(
  template: string,
  { parameters = [] }: Operation = NO_OPERATION,
  ids: Readonly<Record<string, string>>,
): string {
  const path = template.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const example = parameters.find((parameter) => parameter.name === name)?.schema?.example;
    return example === undefined ? String(ids[name]) : String(example);
  });
  const needed = parameters.filter((parameter) => parameter.in === 'query' && parameter.required === true);
  if (needed.length === 0) return path;
  const query = needed.map(({ name, schema }): [string, string] => [name, String(schema?.example)]);
  return `${path}?${String(new URLSearchParams(query))}`;
}

/** Every body example with its content type; one request without a body if there is none. */
function bodiesOf({ requestBody }: Operation): { body: unknown; type: Record<string, string> }[] {
  const bodies = Object.entries(requestBody?.content ?? {}).flatMap(([type, { examples = {} }]) =>
    Object.values(examples).map(({ value }) => ({ body: value, type: { 'Content-Type': type } })),
  );
  return bodies.length > 0 ? bodies : [{ body: undefined, type: {} }];
}
