import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { resetSocket } from './reset-socket.ts';

const MORE_THAN_FITS = 'x'.repeat(50_000_000);

describe('resetSocket', () => {
  let server: Server;
  let socket: Socket;
  let peer: Socket;
  let fault: Promise<string | undefined>;

  beforeEach(async () => {
    server = createServer({ allowHalfOpen: true, pauseOnConnect: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const accepted = once(server, 'connection');
    await once(socket, 'connect');
    [peer] = (await accepted) as [Socket];
    socket.on('error', () => undefined);
    fault = new Promise((resolve) => {
      peer.once('error', ({ code }: NodeJS.ErrnoException) => {
        resolve(code);
      });
      peer.once('close', () => {
        resolve(undefined);
      });
    });
  });

  afterEach(() => {
    socket.destroy();
    peer.destroy();
    server.close();
  });

  it('is received as a reset', async () => {
    resetSocket(socket);
    await once(socket, 'close');
    peer.resume();

    expect(await fault).toBe('ECONNRESET');
  });

  it.each([
    ['in the turn in which it is ended', 0],
    ['when it was ended a turn ago', 1],
    ['when its end was sent long ago', 5],
  ])('closes the socket %s', async (_, turns) => {
    socket.end();
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));

    resetSocket(socket);
    await once(socket, 'close');

    expect(socket.destroyed).toBe(true);
  });

  it('does not wait for unread data', async () => {
    socket.end(MORE_THAN_FITS);

    resetSocket(socket);
    await once(socket, 'close');
    peer.resume();

    expect(await fault).toBe('ECONNRESET');
  });

  it('works on a closed socket', async () => {
    socket.destroy();
    resetSocket(socket);
    await once(socket, 'close');

    expect(socket.destroyed).toBe(true);
  });
});
