import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { postgresConnector } from '../src/connectors/postgres/postgres-connector.ts';
import { runConnector } from '../src/kit/run-connector.ts';

const SIZE_BYTES = 4;
const text = (value: string) => Buffer.from(`${value}\0`);
const number = (value: number) => Buffer.of(value >> 24, value >> 16, value >> 8, value);
const message = (code: string, ...parts: readonly Buffer[]) => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(code), number(content.length + SIZE_BYTES), content]);
};
const READY = message('Z', Buffer.from('I'));
const WELCOME = Buffer.concat([message('R', number(0)), READY]);
const DONE = Buffer.concat([message('C', text('SELECT 0')), READY]);

/** Answers the login, then each query that `isAnswered` selects; never closes a connection. */
function serverThat(isAnswered: (query: string) => boolean, sockets: Socket[]): Server {
  return createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket
      .on('error', () => undefined)
      .once('data', () => {
        socket.write(WELCOME);
        socket.on('data', (request) => {
          if (request.toString('latin1').startsWith('Q') && isAnswered(request.toString('latin1')))
            socket.write(DONE);
        });
      });
  });
}

describe('the PostgreSQL connector', () => {
  let sockets: Socket[];
  let server: Server;

  beforeEach(() => {
    sockets = [];
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await once(server.close(), 'close');
  });

  async function runAgainst(isAnswered: (query: string) => boolean) {
    server = serverThat(isAnswered, sockets).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return runConnector(postgresConnector, {
      config: { host: '127.0.0.1', port, user: 'u', query_timeout_ms: 200 },
    });
  }

  it('ends a query that the server does not answer', async () => {
    const { report } = await runAgainst((query) => !query.includes('pg_roles'));

    expect(report).toMatchObject({ status: 'failed', entities: 0 });
    expect(report.steps[0]?.reason).toBe('Query read timeout');
  });

  it('does not wait for a server that leaves the connection open', async () => {
    const { report } = await runAgainst(() => true);

    expect(report.steps.map(({ status }) => status)).toEqual(Array(5).fill('done'));
  });
});
