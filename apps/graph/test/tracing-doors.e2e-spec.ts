/** Traces of gRPC and MCP. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { once } from 'node:events';
import { callFault, GraphCaller } from '#graph/testing';
import { type Log, type RunningTracing, startTracing } from '#platform/observability';
import { type CollectedSpan, OtlpCollector } from '#testing';
import { clique, SLOW_QUERY } from './support/estate.ts';
import { TestService } from './support/test-service.ts';

const nothing = (): void => undefined;
const LOG: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing, fatal: nothing };
const ENVIRONMENT = { PLEXUS_GRPC_PORT: '0', PLEXUS_MCP: 'on' };
const SECRET = 's3cret-value';
const GRAPH = 'plexus.graph.v1.Graph';
const QUERY = ['query.parse', 'query.plan', 'query.execute', 'query.encode'];

/** The trace that the requests of a test belong to. */
const traceOf = (digit: string): string => digit.repeat(32);
const parentOf = (digit: string): string => `00-${traceOf(digit)}-b7ad6b7169203331-01`;
const below = (depth: number, names: readonly string[]): readonly string[] =>
  names.map((name) => '  '.repeat(depth) + name);

let collector: OtlpCollector;
let tracing: RunningTracing | undefined;
let service: TestService;

beforeAll(async () => {
  collector = await OtlpCollector.start();
  tracing = await startTracing({ environment: collector.environment, service: 'plexus' }, LOG);
  service = await TestService.start({ environment: ENVIRONMENT });
  await service.json(200, 'POST', '/v1/ingest/write', clique(60));
});
afterAll(async () => {
  await service.stop();
  await tracing?.close();
  await collector.stop();
});

/** The first span of a trace, once it has been exported. */
const inTrace = (digit: string, name: string): Promise<CollectedSpan> =>
  collector.story.until((span) => span.traceId === traceOf(digit) && span.name === name);

describe('traces of gRPC', () => {
  const callerOf = (digit: string): GraphCaller =>
    new GraphCaller(service.grpcAddress, { metadata: { traceparent: parentOf(digit) } });

  it("cover a query from its call to its last message, in the client's trace", async () => {
    const caller = callerOf('1');
    await caller.query({ pql: `FIND host WITH name = '${SECRET}'` });
    caller.close();

    expect(await inTrace('1', `${GRAPH}/Query`)).toMatchObject({
      parentSpanId: 'b7ad6b7169203331',
      kind: 2,
      isFailed: false,
      attributes: {
        'rpc.system': 'grpc',
        'rpc.service': GRAPH,
        'rpc.method': 'Query',
        'rpc.grpc.status_code': 0,
      },
    });
    expect(collector.treeOf(traceOf('1'))).toEqual([`${GRAPH}/Query`, ...below(1, QUERY)]);
  });

  it('cover a write, by message or stream, down to the disk', async () => {
    const written = ['ingest.plan', 'ingest.log', 'ingest.sync'];
    const caller = callerOf('2');
    await caller.write({ writeId: 'w', entities: [{ type: 'host', key: SECRET }] });
    await inTrace('2', `${GRAPH}/Write`);
    caller.close();
    const streaming = callerOf('3');
    const entity = { type: 'host', key: `${SECRET}-2` };
    const start = { connectorId: 'a', syncId: '1' };
    await streaming.sync({ start }, { records: { entities: [entity] } }, { commit: {} });
    await inTrace('3', `${GRAPH}/Sync`);
    streaming.close();

    expect(collector.treeOf(traceOf('2'))).toEqual([
      `${GRAPH}/Write`,
      ...below(1, ['ingest.write']),
      ...below(2, written),
    ]);
    expect(collector.treeOf(traceOf('3'))).toEqual([
      `${GRAPH}/Sync`,
      ...below(1, ['ingest.diff']),
      ...below(2, written),
    ]);
  });

  it('mark server errors as errors, and client errors not', async () => {
    const caller = callerOf('4');
    expect(await callFault(caller.entity(SECRET))).toMatchObject({ status: 'INVALID_ARGUMENT' });
    expect((await inTrace('4', `${GRAPH}/GetEntity`)).isFailed).toBe(false);

    expect(await callFault(caller.query({ pql: SLOW_QUERY, timeoutMs: 50 }))).toMatchObject({
      status: 'DEADLINE_EXCEEDED',
    });
    expect(await inTrace('4', `${GRAPH}/Query`)).toMatchObject({
      isFailed: true,
      attributes: { 'rpc.grpc.status_code': 4, 'error.type': 'DEADLINE_EXCEEDED' },
    });
    caller.close();
  });

  it('end with the call of a disconnected client', async () => {
    const caller = callerOf('5');
    const call = caller.client.query({ pql: SLOW_QUERY }, caller.metadata);
    const ended = once(call.resume(), 'error');
    await inTrace('5', 'query.plan');
    call.cancel();
    await ended;
    caller.close();

    expect(await inTrace('5', `${GRAPH}/Query`)).toMatchObject({ attributes: { 'rpc.grpc.status_code': 1 } });
  });

  it('start a new trace for an invalid traceparent', async () => {
    const caller = new GraphCaller(service.grpcAddress, { metadata: { traceparent: SECRET } });
    await caller.schema();
    caller.close();

    expect(await collector.named(`${GRAPH}/Schema`)).toMatchObject({ parentSpanId: '' });
  });
});

describe('traces of MCP', () => {
  let client: Client;

  const connect = async (digit: string): Promise<void> => {
    client = new Client({ name: SECRET, version: '1' });
    const headers = { traceparent: parentOf(digit) };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit: { headers } }),
    );
  };

  it('cover a tool call from its request', async () => {
    await connect('6');
    await client.callTool({ name: 'query', arguments: { pql: 'FIND host' } });
    const { spanId } = await inTrace('6', 'query.encode');
    const tool = await inTrace('6', 'tools/call query');
    await client.close();

    const request = await collector.story.until((span) => span.spanId === tool.parentSpanId);
    expect([request.name, spanId === '']).toEqual(['POST /mcp', false]);
    expect(tool).toMatchObject({
      kind: 2,
      isFailed: false,
      attributes: { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'query' },
    });
    const tree = collector.treeOf(traceOf('6'));
    expect(tree).toEqual(expect.arrayContaining(['POST /mcp', '  tools/call query', ...below(2, QUERY)]));
  });

  it('join the trace given in the message', async () => {
    await connect('7');
    const _meta = { traceparent: parentOf('8') };
    await client.callTool({ name: 'schema', arguments: {}, _meta });
    await client.readResource({ uri: 'plexus://schema', _meta: { traceparent: SECRET } });
    await client.listResources();
    expect(await inTrace('8', 'tools/call schema')).toMatchObject({ parentSpanId: 'b7ad6b7169203331' });
    await inTrace('7', 'resources/read');
    await inTrace('7', 'resources/list');
    await client.close();

    expect(collector.treeOf(traceOf('8'))).toEqual(['tools/call schema']);
  });

  it('show the error code of a failed tool, and no name chosen by the client', async () => {
    await connect('9');
    await client.callTool({ name: 'query', arguments: { pql: `FIND ${SECRET} WITH` } });
    await expect(client.callTool({ name: SECRET, arguments: {} })).rejects.toThrow('no tool');
    expect(await inTrace('9', 'tools/call query')).toMatchObject({
      isFailed: true,
      attributes: { 'error.type': 'PQL_SYNTAX' },
    });
    await client.close();
  });
});

it('contain no content of messages', async () => {
  await tracing?.close();

  expect(collector.spans.length).toBeGreaterThan(20);
  expect(collector.text).not.toContain(SECRET);
});
