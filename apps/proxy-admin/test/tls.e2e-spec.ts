import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { describeUnless } from '#testing';
import { Authority, isOpensslInstalled } from '../../hive/test/support/certificates.ts';
import { everythingFrom, TestAdmin } from './support/test-admin.ts';

const describeWithOpenssl = describeUnless(
  isOpensslInstalled ? undefined : 'openssl is not installed; Debian: apt-get install openssl',
);
const READY = 'GET /ready HTTP/1.1\r\nHost: localhost\r\n';

describeWithOpenssl('an admin server with a certificate', () => {
  let authority: Authority;
  let admin: TestAdmin;

  beforeAll(() => {
    authority = new Authority('client');
  });
  afterEach(() => admin.stop());
  afterAll(() => {
    authority.remove();
  });

  const start = async (connectionsMax?: number): Promise<void> => {
    const { cert, key } = authority.material('hive');
    admin = await TestAdmin.scripted({
      tls: { cert, key },
      ...(connectionsMax !== undefined && { limits: { connectionsMax } }),
    });
  };
  const open = async (): Promise<TLSSocket> => {
    const ca = Buffer.from(authority.material('hive').ca);
    const socket = connect({ host: '127.0.0.1', port: admin.port, ca });
    await once(socket, 'secureConnect');
    return socket;
  };
  const closed = (socket: Socket): Promise<unknown> => once(socket, 'close');

  it('answers requests that come together one after the other', async () => {
    await start();
    const socket = await open();
    socket.write(`${READY}\r\n${READY}\r\n${READY}Connection: close\r\n\r\n`);

    const text = await everythingFrom(socket);

    expect(text.match(/HTTP\/1\.1 200 OK[^]*?LIVE/g)).toHaveLength(3);
  });

  it('bounds its connections, and answers nothing in plain text', async () => {
    await start(1);
    const first = await open();
    const gone = closed(first);
    const second = await open();
    second.write(`${READY}Connection: close\r\n\r\n`);
    const text = await everythingFrom(second);
    await gone;
    const plain = connectPlain(admin.port, '127.0.0.1');
    plain.write(`${READY}\r\n`);
    const answer = await everythingFrom(plain);

    expect(text).toContain('LIVE');
    expect(answer).not.toContain('HTTP');
  });
});
