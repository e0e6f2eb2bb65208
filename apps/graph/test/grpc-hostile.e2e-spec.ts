/** Peers that violate the protocol or read slowly: the service continues and keeps nothing of them. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Client, ChannelCredentials, type ServiceError, status } from '@grpc/grpc-js';
import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect } from 'node:net';
import { GrpcLimits } from '#graph/api/grpc';
import { callFault, GraphCaller } from '#graph/testing';
import { effort } from '#testing';
import { clique, SLOW_QUERY } from './support/estate.ts';
import { TestService } from './support/test-service.ts';

const MIB = 2 ** 20;
const SERVICE = '/plexus.graph.v1.Graph';
/** Short enough for a test, and longer than the pauses of a busy machine. */
const PAUSE_MS = 2_000;

const asIs = (bytes: Buffer): Buffer => bytes;

function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** A bytes field in protobuf encoding. */
function field(number: number, bytes: Buffer): Buffer {
  const length: number[] = [];
  for (let rest = bytes.length; ; rest >>= 7) {
    length.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest);
    if (rest <= 0x7f) break;
  }
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), bytes]);
}

/** A raw HTTP/2 stream of the method. */
function rawStream(address: string, method: string, headers: Readonly<Record<string, string>> = {}) {
  const session = connectHttp2(`http://${address}`);
  session.on('error', () => undefined);
  const stream = session.request({
    ':method': 'POST',
    ':path': `${SERVICE}/${method}`,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
  stream.on('error', () => undefined);
  return { session, stream };
}

describe('a hostile peer', () => {
  let service: TestService;
  let caller: GraphCaller;
  let limits: GrpcLimits;

  beforeEach(async () => {
    limits = new GrpcLimits({ bodyBytesMax: MIB, pauseMs: PAUSE_MS });
    service = await TestService.start({
      environment: { PLEXUS_GRPC_PORT: '0' },
      override: (builder) => builder.overrideProvider(GrpcLimits).useValue(limits),
    });
    caller = new GraphCaller(service.grpcAddress);
  });
  afterEach(async () => {
    caller.close();
    await service.stop();
  });

  const ended = (method: string, code: string): string =>
    `plexus_grpc_calls_total{method="plexus.graph.v1.Graph/${method}",code="${code}"}`;

  /** A sync as bytes: its start and a rack. */
  const HALF_SYNC = Buffer.concat([
    framed(field(1, Buffer.concat([field(1, Buffer.from('c')), field(2, Buffer.from('s'))]))),
    framed(field(2, field(1, Buffer.concat([field(1, Buffer.from('rack')), field(2, Buffer.from('r1'))])))),
  ]);

  const racks = async (): Promise<unknown> => (await service.query('FIND rack')).entities;

  /** The answer to raw bytes in place of a message. */
  async function rawFault(method: string, bytes: Buffer): ReturnType<typeof callFault> {
    const client = new Client(service.grpcAddress, ChannelCredentials.createInsecure());
    const stream = client.makeServerStreamRequest(`${SERVICE}/${method}`, asIs, asIs, bytes);
    const call = new Promise((resolve, reject) => stream.on('error', reject).on('end', resolve).resume());
    try {
      return await callFault(call);
    } finally {
      client.close();
    }
  }

  it.each([
    ['no HTTP/2', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['noise', Buffer.from(Array.from({ length: 4_096 }, (_, i) => (i * 197 + 31) & 0xff))],
    ['a preface and noise', Buffer.from(`PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${'\xff'.repeat(512)}`, 'latin1')],
  ])('that sends %s is let go', async (_, bytes) => {
    const socket = connect(Number(service.grpcAddress.split(':')[1]), '127.0.0.1');
    socket.on('error', () => undefined).resume();
    socket.end(bytes);
    await once(socket, 'close');

    expect((await caller.query('FIND host')).items).toEqual([]);
  });

  it.each(['Query', 'Write', 'GetEntity', 'Neighbors', 'Changes', 'Diff'])(
    'gets an error for a message that is no %s',
    async (method) => {
      const fault = await rawFault(method, Buffer.from([0x0a, 0xff, 0xff]));

      expect(fault).toMatchObject({
        status: 'INVALID_ARGUMENT',
        error: {
          error: 'INVALID_REQUEST',
          message: `message: expected a request of plexus.graph.v1.Graph/${method}`,
        },
      });
    },
  );

  it.each([
    ['compressed data', 1, { 'grpc-encoding': 'gzip' }],
    ['deadline', 0, { 'grpc-timeout': 'soon' }],
  ])('is answered as a client that is at fault for an invalid %s', async (_, flag, headers) => {
    const { session, stream } = rawStream(service.grpcAddress, 'Write', headers);
    const message = framed(Buffer.from('noise'));
    message[0] = flag;
    const response = once(stream.resume(), 'response');
    stream.end(message);

    const [answer] = (await response) as [Readonly<Record<string, unknown>>];
    session.destroy();

    expect([answer['grpc-status'], answer['plexus-error']]).toEqual([
      String(status.INVALID_ARGUMENT),
      expect.stringContaining('"INVALID_REQUEST"'),
    ]);
  });

  it.each([
    ['key', 2, Buffer.from('k\xff', 'latin1')],
    ['type', 1, Buffer.from('\xc0\x80', 'latin1')],
    ['display_name', 5, Buffer.from('\xed\xa0\x80', 'latin1')],
    ['key', 3, field(1, Buffer.from('p\xfe', 'latin1'))],
    ['string_value', 3, field(2, field(5, Buffer.from('cut \xe2\x82', 'latin1')))],
  ])('gets an error for text that is not UTF-8: %s', async (name, number, bytes) => {
    const host = [field(1, Buffer.from('host')), field(2, Buffer.from('web')), field(number, bytes)];
    const fault = await rawFault('Write', field(1, Buffer.concat(host)));

    expect(fault).toMatchObject({
      status: 'INVALID_ARGUMENT',
      error: { error: 'INVALID_REQUEST', message: `message: expected UTF-8 in ${name}` },
    });
    expect((await caller.query('FIND host')).items).toEqual([]);
  });

  it('gets an error for infinitely nested values', async () => {
    let value: Buffer = Buffer.from([0x08, 0]);
    for (let depth = 0; depth < 5_000; depth++) value = field(6, field(1, value));
    const entry = Buffer.concat([field(1, Buffer.from('x')), field(2, value)]);
    const fault = await rawFault('Query', Buffer.concat([field(1, Buffer.from('FIND a')), field(2, entry)]));

    expect(fault).toMatchObject({ status: 'INVALID_ARGUMENT', error: { error: 'INVALID_REQUEST' } });
  });

  it('gets an error for a message with more values than fit into memory, before they are decoded', async () => {
    const fault = await rawFault(
      'Write',
      Buffer.concat(Array.from({ length: 500_001 }, () => Buffer.from([0x0a, 0]))),
    );

    expect(fault).toMatchObject({ status: 'RESOURCE_EXHAUSTED', error: { error: 'BODY_TOO_LARGE' } });
  });

  it('gets an error for a message above the limit, and for a value without a kind', async () => {
    const text = { stringValue: 'x'.repeat(MIB) };
    const large = await callFault(
      caller.write({ entities: [{ type: 'a', key: 'b', properties: { text } }] }),
    );
    const empty = await callFault(
      caller.write({ entities: [{ type: 'a', key: 'b', properties: { x: {} } }] }),
    );

    expect(large).toMatchObject({ status: 'RESOURCE_EXHAUSTED', error: { error: 'BODY_TOO_LARGE' } });
    expect(empty).toMatchObject({ status: 'INVALID_ARGUMENT', error: { error: 'INVALID_REQUEST' } });
    expect(await service.metric(ended('Write', 'RESOURCE_EXHAUSTED'))).toBe(1);
  });

  it.each([
    ['resets the stream', constants.NGHTTP2_CANCEL],
    ['resets it as if all were well', constants.NGHTTP2_NO_ERROR],
  ])('that %s in the middle of a sync has changed nothing', async (_, code) => {
    const { session, stream } = rawStream(service.grpcAddress, 'Sync');
    await new Promise((resolve) => stream.write(HALF_SYNC, resolve));
    stream.close(code);
    await once(stream, 'close');
    session.close();
    await service.metricIs('plexus_grpc_calls_open', 0);

    expect(await racks()).toEqual([]);
  });

  it('changes nothing if it disconnects during a sync', async () => {
    const { session, stream } = rawStream(service.grpcAddress, 'Sync');
    await new Promise((resolve) => stream.write(HALF_SYNC, resolve));
    await service.metricIs('plexus_grpc_calls_open', 1);
    session.destroy();
    await service.metricIs('plexus_grpc_calls_open', 0);

    expect(await racks()).toEqual([]);
    expect(await service.metric(ended('Sync', 'CANCELLED'))).toBe(1);
  });

  it('is disconnected and changes nothing if it stalls during a sync', async () => {
    const fault = await callFault(
      new Promise((resolve, reject) => {
        const call = caller.client.sync(caller.metadata, (error, reply) => {
          if (error === null) resolve(reply);
          else reject(error);
        });
        call.write({ start: { connectorId: 'c', syncId: 's' } });
        call.write({ records: { entities: [{ type: 'rack', key: 'r1' }] } });
      }),
    );

    expect(fault).toMatchObject({
      status: 'INVALID_ARGUMENT',
      error: { message: `the stream paused for ${PAUSE_MS} ms; nothing was applied` },
    });
    expect(await racks()).toEqual([]);
  });

  const start = { start: { connectorId: 'c', syncId: 's' } };
  const records = { records: { entities: [{ type: 'rack', key: 'r1' }] } };
  it.each([
    ['nothing', [], 'expected start'],
    ['no start', [records, { commit: {} }], 'expected start'],
    ['two starts', [start, start], 'expected start'],
    ['no commit', [start, records], 'ended without commit'],
    ['more after its commit', [start, { commit: {} }, records], 'no message after commit'],
    ['a message of nothing', [start, {}], 'expected start, records or commit'],
  ])('that syncs with %s has changed nothing', async (_, messages, message) => {
    const fault = await callFault(caller.sync(...messages));

    expect(fault).toMatchObject({
      status: 'INVALID_ARGUMENT',
      error: { error: 'INVALID_REQUEST', message: expect.stringContaining(message) },
    });
    expect(await racks()).toEqual([]);
  });

  it('changes nothing with a sync above the total limit', async () => {
    const part = {
      records: {
        entities: [{ type: 'rack', key: 'r1', properties: { text: { stringValue: 'x'.repeat(MIB / 4) } } }],
      },
    };
    const fault = await callFault(caller.sync(start, part, part, part, part, { commit: {} }));

    expect(fault).toMatchObject({ status: 'RESOURCE_EXHAUSTED', error: { error: 'BODY_TOO_LARGE' } });
    expect(await racks()).toEqual([]);
  });

  it('stops its query by cancelling it, and by its deadline', async () => {
    await service.json(200, 'POST', '/v1/ingest/write', clique(60));
    const stream = caller.client.query({ pql: SLOW_QUERY }, caller.metadata);
    const cancelled = once(stream, 'error');
    await service.metricIs('plexus_queries_running', 1);
    stream.cancel();
    const [error] = (await cancelled) as [ServiceError];
    await service.metricIs('plexus_queries_running', 0);
    const late = await callFault(caller.query(SLOW_QUERY, { deadline: Date.now() + 300 }));
    await service.metricIs('plexus_queries_running', 0);

    expect([error.code, late.status]).toEqual([status.CANCELLED, 'DEADLINE_EXCEEDED']);
    expect(service.graph.openSnapshots).toBeLessThanOrEqual(1);
    // At the deadline the client cancels too; either may arrive first.
    const cancelledCount = await service.metric(ended('Query', 'CANCELLED'));
    const lateCount = await service.metric(ended('Query', 'DEADLINE_EXCEEDED'));
    expect(cancelledCount).toBeGreaterThanOrEqual(1);
    expect(cancelledCount + lateCount).toBe(2);
  });

  it('is disconnected if it takes no changes, after little was read for it', async () => {
    const properties = { text: 'x'.repeat(2_000) };
    const batches = ['a', 'b', 'c', 'd', 'e'];
    for (const batch of batches) {
      const entities = Array.from({ length: 1_000 }, (_, at) => ({
        type: 'host',
        key: `${batch}${at}`,
        properties,
      }));
      await service.json(200, 'POST', '/v1/ingest/write', { entities, relationships: [] });
    }
    const windows = jest.spyOn(service.graph.feed, 'window');
    const { session, stream } = rawStream(service.grpcAddress, 'Changes');
    const closed = new Promise((resolve) => stream.once('close', resolve));
    stream.end(framed(Buffer.concat([field(1, Buffer.from('0')), Buffer.from([4 << 3, 1])])));
    await closed;
    const read = windows.mock.calls.length;
    session.destroy();
    let changes = 0;
    for await (const { change } of caller.changes({ from: '0' })) if (change !== undefined) changes++;

    expect(stream.rstCode).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    expect(await service.metric(ended('Changes', 'RESOURCE_EXHAUSTED'))).toBe(1);
    expect(changes).toBe(5_000);
    expect(read).toBeLessThan(batches.length);
  });

  describe('reading slowly', () => {
    const PAGES = 'FIND node AS a THAT CONNECTS node AS b RETURN a, b';
    const TEXT_BYTES = 50_000;
    /** Pairs of entities with their text: about 354 MB. */
    const ROWS = 3_540;

    beforeEach(async () => {
      const { entities, relationships } = clique(60) as {
        readonly entities: readonly object[];
        readonly relationships: readonly object[];
      };
      const properties = { text: 'x'.repeat(TEXT_BYTES) };
      const written = entities.map((entity) => ({ ...entity, properties }));
      await service.json(200, 'POST', '/v1/ingest/write', { entities: written, relationships });
    });

    const heldBytes = (): number => {
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };

    it('receives the whole result eventually', async () => {
      const wanted = effort(ROWS, 700);
      const stream = caller.client.query({ pql: `${PAGES} LIMIT ${wanted}` }, caller.metadata);
      let rows = 0;
      for await (const reply of stream) {
        rows += (reply as { items?: { items: readonly unknown[] } }).items?.items.length ?? 0;
        await service.json(200, 'GET', '/v1/health');
      }

      expect(rows).toBe(wanted);
    });

    it('costs little memory, and is disconnected if it stops reading', async () => {
      const { session, stream } = rawStream(service.grpcAddress, 'Query');
      const closed = new Promise((resolve) => stream.once('close', resolve));
      const before = heldBytes();
      stream.end(framed(field(1, Buffer.from(PAGES))));
      await service.metricIs('plexus_grpc_calls_open', 1);
      let most = 0;
      while ((await service.metric('plexus_grpc_calls_open')) > 0)
        most = Math.max(most, heldBytes() - before);
      await closed;
      const code = stream.rstCode;
      session.destroy();

      expect(code).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
      expect(most).toBeLessThan(128 * MIB);
      expect(await service.metric(ended('Query', 'RESOURCE_EXHAUSTED'))).toBe(1);
      expect(service.graph.openSnapshots).toBeLessThanOrEqual(1);
    });
  });
});
