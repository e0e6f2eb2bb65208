import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { RecordingGateway } from './recording-gateway.ts';
import { TestEdge } from './test-edge.ts';
import { TestHive } from './test-hive.ts';

const SERVICE = '/plexus.hive.v1.Hive';

/** Sends raw bytes to any method. */
function call(client: Client, method: string, ...messages: readonly Buffer[]): Promise<ServiceError> {
  const asIs = (bytes: Buffer): Buffer => bytes;
  const stream = client.makeBidiStreamRequest(`${SERVICE}/${method}`, asIs, asIs);
  stream.on('data', () => undefined);
  for (const message of messages) stream.write(message);
  return new Promise((resolve) => stream.once('error', (error) => resolve(error as ServiceError)));
}

describe('a hive with a hostile edge', () => {
  let hive: TestHive;
  let client: Client;

  beforeEach(async () => {
    hive = await TestHive.start();
    client = new Client(hive.address, credentials.createInsecure());
  });
  afterEach(async () => {
    client.close();
    await hive.stop();
  });

  it.each(['Control', 'PushTelemetry'])('rejects garbage on %s', async (method) => {
    const error = await call(client, method, Buffer.from('\xff\xff\xff\xff', 'latin1'));

    expect([status.INTERNAL, status.CANCELLED, status.UNKNOWN]).toContain(error.code);
  });

  it.each([
    ['Control', Buffer.from([0x12, 0])],
    ['PushTelemetry', Buffer.from([0x12, 0])],
  ])('rejects a stream on %s that does not start with hello', async (method, message) => {
    const error = await call(client, method, message);

    expect(error).toMatchObject({ code: status.INVALID_ARGUMENT, details: expect.stringContaining('hello') });
  });

  it.each(['Control', 'PushTelemetry'])('rejects a hello on %s without a registration', async (method) => {
    const hello = Buffer.from([0x0a, 3, 0x0a, 1, 0x61]);
    const error = await call(client, method, hello);

    expect(error).toMatchObject({ code: status.FAILED_PRECONDITION });
    expect(error.metadata.get('plexus-code')).toEqual(['EDGE_EVICTED']);
    expect(await hive.gateway.story.has('refused')).toBe('refused a EDGE_EVICTED');
  });

  it('rejects an invalid edge id', async () => {
    const edge = new TestEdge('../a', { address: hive.address });

    expect(await edge.story.has('disconnected')).toContain('edge_id: expected 1 to 64 letters');
    expect(await hive.gateway.story.has('refused')).toBe('refused ../a INVALID_REQUEST');
    await edge.stop();
  });

  it('ends the stream of an edge that exceeds its credit', async () => {
    const edge = await TestEdge.connect('a', { address: hive.address });
    hive.gateway.take_ = () => new Promise(() => undefined);
    const hello = Buffer.from([0x0a, 8, 0x0a, 1, 0x61, 0x12, 1, 0x31, 0x18, 1]);
    const batch = Buffer.from([0x12, 2, 0x10, 1]);

    const error = await call(client, 'PushTelemetry', hello, ...Array.from({ length: 5 }, () => batch));

    expect(error).toMatchObject({ code: status.RESOURCE_EXHAUSTED });
    expect(hive.gateway.batches).toHaveLength(4);
    await edge.stop();
  });

  it('still serves edges after these attempts', async () => {
    await call(client, 'Control', Buffer.from('nonsense'));
    const edge = await TestEdge.connect('a', { address: hive.address });

    expect(edge.client.isConnected).toBe(true);
    await edge.stop();
  });
});

/** A network link that can be cut without notification of either side. */
class Cable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  static async to(port: number): Promise<Cable> {
    const cable = new Cable(port);
    cable.#server.listen(0, '127.0.0.1');
    await once(cable.#server, 'listening');
    return cable;
  }

  private constructor(port: number) {
    this.#server = createServer((near) => {
      const far = connect(port, '127.0.0.1');
      for (const socket of [near, far]) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined);
      }
      near.pipe(far).pipe(near);
    });
  }

  get address(): string {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? `127.0.0.1:${address.port}` : '';
  }

  cut(): void {
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  remove(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

describe('a silent network failure', () => {
  it('is detected on both sides without a closed connection', async () => {
    const gateway = await RecordingGateway.make();
    const hive = await TestHive.start({ gateway, keepaliveMs: 100 });
    const cable = await Cable.to(hive.port);
    const edge = await TestEdge.connect('a', { address: cable.address, keepaliveMs: 100 });

    cable.cut();

    expect(await gateway.story.has('closed')).toBe('a 1 closed');
    expect(await edge.story.has('disconnected')).toContain('disconnected');
    await edge.stop();
    cable.remove();
    await hive.stop();
  });
});
