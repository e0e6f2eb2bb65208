/** `Plexus-Seq` of REST, in the metadata of gRPC queries. */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { once } from 'node:events';
import type { Metadata } from '@grpc/grpc-js';
import { callFault, GraphCaller } from '#graph/testing';
import { hostsOf, tokenOf } from './support/seq-token.ts';
import { TestService } from './support/test-service.ts';

describe('plexus-seq of a query over gRPC', () => {
  let service: TestService;
  const within = async <T>(
    token: string | undefined,
    work: (caller: GraphCaller) => Promise<T>,
  ): Promise<T> => {
    const metadata = token === undefined ? {} : { 'plexus-seq': token };
    const caller = new GraphCaller(service.grpcAddress, { metadata });
    try {
      return await work(caller);
    } finally {
      caller.close();
    }
  };

  beforeAll(async () => {
    service = await TestService.start({ environment: { PLEXUS_GRPC_PORT: '0', PLEXUS_QUERY_TIMEOUT: '1h' } });
  });
  afterAll(() => service.stop());

  it('equals the snapshot of its head and arrives before the first message', () =>
    within(undefined, async (caller) => {
      const stream = caller.client.query({ pql: 'FIND host' }, caller.metadata);
      const [metadata] = (await once(stream, 'metadata')) as [Metadata];
      const heads: unknown[] = [];
      for await (const { head } of stream as AsyncIterable<{ head?: { snapshotVersion: unknown } }>) {
        if (head !== undefined) heads.push(`${service.graph.epoch}.${String(head.snapshotVersion)}`);
      }

      expect(metadata.get('plexus-seq')).toEqual(heads);
    }));

  it('makes a write over REST visible to the query', async () => {
    const { text, seq } = tokenOf(await service.call('POST', '/v1/ingest/write', hostsOf('a')));

    const answer = await within(text, (caller) => caller.query('FIND host'));

    expect(answer.items).toHaveLength(1);
    expect(Number(answer.head.snapshotVersion)).toBeGreaterThanOrEqual(seq);
  });

  it.each([
    ['x', 1_000, 'INVALID_ARGUMENT', 'INVALID_REQUEST'],
    ['another.1', 1_000, 'FAILED_PRECONDITION', 'CONFLICT'],
    ['', 1, 'UNAVAILABLE', 'NOT_CAUGHT_UP'],
  ])('%j is refused as over REST', async (given, timeoutMs, status, error) => {
    const token = given === '' ? `${service.graph.epoch}.1000000` : given;

    const fault = await within(token, (caller) => callFault(caller.query({ pql: 'FIND host', timeoutMs })));

    expect(fault).toMatchObject({ status, error: { error } });
  });

  it('is awaited only while the client waits', async () => {
    const began = Promise.withResolvers<{ readonly ended: Promise<unknown> }>();
    const { graph } = service;
    const reached = graph.reached.bind(graph);
    jest.spyOn(graph, 'reached').mockImplementation((...parts) => {
      const waiting = reached(...parts);
      began.resolve({ ended: waiting.catch((error: unknown) => error) });
      return waiting;
    });

    const ended = await within(`${graph.epoch}.1000000`, async (caller) => {
      const stream = caller.client.query({ pql: 'FIND host', timeoutMs: 3_600_000 }, caller.metadata);
      const failed = once(stream, 'error');
      stream.on('data', () => undefined);
      const wait = await began.promise;
      stream.cancel();
      await failed.catch((error: unknown) => error);
      return wait.ended;
    });
    jest.restoreAllMocks();

    expect(ended).toMatchObject({ code: 'NOT_CAUGHT_UP' });
  });
});
