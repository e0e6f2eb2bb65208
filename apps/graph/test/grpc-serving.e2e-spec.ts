/** When gRPC is served, to which clients, and how it stops. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, ChannelCredentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { service as healthService } from 'grpc-health-check';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { GraphGrpcServer } from '#graph/api/grpc';
import { callFault, GraphCaller } from '#graph/testing';
import { Disk } from '#platform/disk';
import { CrashDisk } from '#testing';
import { clique, SLOW_QUERY } from './support/estate.ts';
import { ReflectingClient } from './support/reflecting-client.ts';
import { TestService } from './support/test-service.ts';

const KEY = 'correct-horse-battery';
const GRPC = { PLEXUS_GRPC_PORT: '0' };
const NAME = 'plexus.graph.v1.Graph';
const WATCHES_MAX = 64;
const ASKED = ['grpc.health.v1.Health', NAME];

/** One answer of `grpc.health.v1`. */
async function health(address: string, name: string, method: 'Check' | 'Watch' = 'Check'): Promise<unknown> {
  const client = new Client(address, ChannelCredentials.createInsecure());
  const { path, requestSerialize, responseDeserialize } = healthService[method] ?? {};
  if (path === undefined || requestSerialize === undefined || responseDeserialize === undefined)
    throw new Error('no health');
  const stream = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, {
    service: name,
  });
  try {
    for await (const { status } of stream as AsyncIterable<{ readonly status: string }>) return status;
    return undefined;
  } finally {
    client.close();
  }
}

describe('gRPC', () => {
  let service: TestService;

  afterEach(() => service.stop());

  it('is off by default', async () => {
    service = await TestService.start();

    const listening = process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap');
    expect(() => service.get(GraphGrpcServer)).toThrow();
    expect((await service.call('GET', '/metrics')).text).not.toContain('plexus_grpc');
    expect(listening).toHaveLength(1);
  });

  it('listens on the address of HTTP, and stops with the service', async () => {
    service = await TestService.start({ environment: GRPC });
    const { grpcAddress } = service;
    const caller = new GraphCaller(grpcAddress);
    await caller.schema();
    await service.stop();

    expect(await callFault(caller.schema())).toMatchObject({ status: 'UNAVAILABLE' });
    caller.close();
  });

  it('finishes calls in flight when the service stops, and ends watches at once', async () => {
    service = await TestService.start({ environment: GRPC });
    const { grpcAddress } = service;
    await service.json(200, 'POST', '/v1/ingest/write', clique(60));
    const caller = new GraphCaller(grpcAddress);
    const late = new GraphCaller(grpcAddress);
    const watcher = new Client(grpcAddress, ChannelCredentials.createInsecure());
    const { path = '', requestSerialize, responseDeserialize } = healthService['Watch'] ?? {};
    if (requestSerialize === undefined || responseDeserialize === undefined) throw new Error('no health');
    const watch = watcher.makeServerStreamRequest(path, requestSerialize, responseDeserialize, {
      service: '',
    });
    const seen: unknown[] = [];
    const watched = once(
      watch.on('data', (status: unknown) => seen.push(status)),
      'error',
    );
    const counted = callFault(caller.query({ pql: SLOW_QUERY, timeoutMs: 1_500 }));
    while (!(await service.call('GET', '/metrics')).text.includes('plexus_queries_running 1'));
    await service.stop();
    const [ended] = (await watched) as [ServiceError];

    expect(await counted).toMatchObject({ status: 'DEADLINE_EXCEEDED', error: { error: 'QUERY_TIMEOUT' } });
    expect(seen).toEqual([{ status: 'SERVING' }, { status: 'NOT_SERVING' }]);
    expect(ended.details).toBe('the server stops');
    expect(await callFault(late.schema())).toMatchObject({ status: 'UNAVAILABLE' });
    for (const client of [caller, late, watcher]) client.close();
  });

  it('reports a port in use, and the service does not start', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { readonly port: number };
    const start = TestService.start({ environment: { PLEXUS_GRPC_PORT: String(port) } });

    await expect(start).rejects.toThrow(`cannot listen on 127.0.0.1:${port} for gRPC: EADDRINUSE`);
    other.close();
    service = await TestService.start();
  });
});

describe('gRPC with a key', () => {
  let service: TestService;
  const callers: GraphCaller[] = [];
  const calling = (options: ConstructorParameters<typeof GraphCaller>[1]): GraphCaller => {
    const caller = new GraphCaller(service.grpcAddress, options);
    callers.push(caller);
    return caller;
  };

  beforeAll(async () => {
    service = await TestService.start({ environment: { ...GRPC, PLEXUS_API_KEY: KEY } });
  });
  afterAll(async () => {
    for (const caller of callers) caller.close();
    await service.stop();
  });

  const REFUSAL = {
    status: 'UNAUTHENTICATED',
    details: 'missing or invalid API key',
    error: { error: 'Unauthorized', message: 'missing or invalid API key' },
  };

  it.each(['/plexus.graph.v1.Graph/Nothing', '/plexus.other.v1.Other/Query', '/nowhere'])(
    'does not tell whether there is a method %s without the key',
    async (path) => {
      const call = async (metadata: Metadata): Promise<unknown> => {
        const client = new Client(service.grpcAddress, ChannelCredentials.createInsecure());
        const asIs = (bytes: Buffer): Buffer => bytes;
        const calling = promisify<Metadata, unknown>((given, done) => {
          client.makeUnaryRequest(path, asIs, asIs, Buffer.alloc(0), given, done);
        });
        return callFault(calling(metadata)).finally(() => client.close());
      };
      const withKey = new Metadata();
      withKey.set('authorization', `Bearer ${KEY}`);

      expect(await call(new Metadata())).toMatchObject(REFUSAL);
      expect(await call(withKey)).toMatchObject({
        status: 'UNIMPLEMENTED',
        details: 'no such method',
        error: { error: 'NOT_FOUND' },
      });
    },
  );

  it('answers clients with the key', async () => {
    expect((await calling({ key: KEY }).query('FIND host')).items).toEqual([]);
    expect((await calling({ metadata: { authorization: `bearer  ${KEY}` } }).schema()).types).toEqual([]);
  });

  it.each([
    ['no key', {}],
    ['another key', { key: 'correct-horse-batterx' }],
    ['a part of it', { key: 'correct-horse' }],
    ['another scheme', { metadata: { authorization: `Basic ${KEY}` } }],
  ])('refuses %s on every method, as REST does', async (_, options) => {
    const caller = calling(options);
    const record = { entities: [{ type: 'host', key: 'h' }] };
    const start = { start: { connectorId: 'c', syncId: 's' } };

    expect(await callFault(caller.query('FIND host'))).toEqual(REFUSAL);
    expect(await callFault(caller.write(record))).toEqual(REFUSAL);
    expect(await callFault(caller.sync(start, { records: record }, { commit: {} }))).toEqual(REFUSAL);
    expect(await callFault(caller.entity('0'.repeat(32)))).toEqual(REFUSAL);
    expect(await callFault(caller.neighbors({ id: '0'.repeat(32) }))).toEqual(REFUSAL);
    expect(await callFault(caller.schema())).toEqual(REFUSAL);
    expect(service.graph.stats().total_entities).toBe(0);
  });

  it.each(['v1', 'v1alpha'] as const)('tells what there is (%s) to nobody without it', async (version) => {
    const client = new ReflectingClient(service.grpcAddress, new Metadata(), version);

    expect(await callFault(client.list())).toEqual(REFUSAL);
    client.close();
  });

  it('reports its health without the key', async () => {
    expect(await health(service.grpcAddress, '')).toBe('SERVING');
    expect(await health(service.grpcAddress, NAME, 'Watch')).toBe('SERVING');
    await expect(health(service.grpcAddress, 'other.Service')).rejects.toThrow('NOT_FOUND');
  });

  it('reports its health while other clients hold the maximum number of watches', async () => {
    const client = new Client(service.grpcAddress, ChannelCredentials.createInsecure());
    const { path = '', requestSerialize, responseDeserialize } = healthService['Watch'] ?? {};
    if (requestSerialize === undefined || responseDeserialize === undefined) throw new Error('no health');
    const refused = Promise.withResolvers<ServiceError>();
    const watches = Array.from({ length: WATCHES_MAX + 1 }, () =>
      client
        .makeServerStreamRequest(path, requestSerialize, responseDeserialize, {})
        .on('error', (error) => {
          refused.resolve(error as ServiceError);
        })
        .resume(),
    );
    const refusal = await refused.promise;
    const status = await health(service.grpcAddress, '');
    for (const stream of watches) stream.cancel();
    client.close();

    expect(refusal).toMatchObject({ details: 'expected at most 64 such streams at a time' });
    expect(status).toBe('SERVING');
  });

  it('counts calls by method and status', async () => {
    const page = await service.call('GET', '/metrics', undefined, { Authorization: `Bearer ${KEY}` });

    expect(page.text).toMatch(
      /plexus_grpc_calls_total\{method="plexus.graph.v1.Graph\/Query",code="UNAUTHENTICATED"\} [1-9]/,
    );
    expect(page.text).toMatch(
      /plexus_grpc_calls_total\{method="grpc.health.v1.Health\/Check",code="OK"\} [1-9]/,
    );
  });
});

describe('the reflection of gRPC', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start({ environment: GRPC });
    await service.json(200, 'POST', '/v1/ingest/write', { entities: [{ type: 'host', key: 'h' }] });
  });
  afterAll(() => service.stop());

  it.each(['v1', 'v1alpha'] as const)('lists and describes what there is (%s)', async (version) => {
    const client = new ReflectingClient(service.grpcAddress, new Metadata(), version);
    const services = await client.list();
    const described = await client.describe(NAME);
    client.close();

    expect([...services].sort()).toEqual(ASKED);
    expect(Object.keys(described[NAME] ?? {})).toEqual([
      'Query',
      'Write',
      'Sync',
      'GetEntity',
      'Neighbors',
      'Schema',
      'Changes',
      'Diff',
    ]);
  });

  it('is sufficient to call a method', async () => {
    const client = new ReflectingClient(service.grpcAddress, new Metadata());
    const replies = await client.call(`${NAME}/Query`, { pql: 'FIND host RETURN _key' });
    client.close();

    expect(replies).toMatchObject([
      { head: { kind: 'rows', columns: ['_key'] } },
      { items: { items: [{ row: { cells: [{ value: { stringValue: 'h' } }] } }] } },
      { summary: { count: '1' } },
    ]);
  });

  it('rejects a client that requests without end', async () => {
    const client = new ReflectingClient(service.grpcAddress, new Metadata());

    expect(await callFault(client.flood(1_000))).toMatchObject({ status: 'RESOURCE_EXHAUSTED' });
    client.close();
  });
});

describe('the health of gRPC', () => {
  it('follows the store, whose reads continue', async () => {
    const disk = new CrashDisk(7);
    const service = await TestService.start({
      directory: '/data',
      environment: GRPC,
      override: (builder) => builder.overrideProvider(Disk).useValue(disk),
    });
    const caller = new GraphCaller(service.grpcAddress);
    disk.plan({ crashAt: 1 });
    const write = caller.write({ entities: [{ type: 'host', key: 'h' }] });

    expect(await callFault(write)).toMatchObject({
      status: 'UNAVAILABLE',
      error: { error: 'STORE_UNAVAILABLE' },
    });
    expect(await health(service.grpcAddress, NAME)).toBe('NOT_SERVING');
    expect((await caller.query('FIND host')).items).toEqual([]);
    caller.close();
    await service.stop();
  });
});
