/** One certificate for all listeners, in the hands of its clients. */
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { ChannelCredentials } from '@grpc/grpc-js';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import neo4j from 'neo4j-driver';
import { GraphCaller } from '#graph/testing';
import { NodeDisk } from '#platform/disk';
import { Log } from '#platform/observability';
import { ServingTls } from '#platform/tls';
import { describeUnless } from '#testing';
import { Authority, isOpensslInstalled } from '../../hive/test/support/certificates.ts';
import { HttpTarget } from '../src/cli/target/http-target.ts';
import { TestService } from './support/test-service.ts';

const describeWithOpenssl = describeUnless(
  isOpensslInstalled ? undefined : 'openssl is not installed; Debian: apt-get install openssl',
);
const ALL = { PLEXUS_GRPC_PORT: '0', PLEXUS_BOLT_PORT: '0' };

describeWithOpenssl('a service with a certificate', () => {
  let ours: Authority;
  let renewed: Authority;
  let directory: string;
  let service: TestService;

  beforeAll(() => {
    ours = new Authority('client');
    renewed = new Authority('client');
    directory = mkdtempSync(join(tmpdir(), 'plexus-tls-'));
  });
  afterEach(() => service.stop());
  afterAll(() => {
    for (const authority of [ours, renewed]) authority.remove();
    rmSync(directory, { recursive: true });
  });

  const place = (authority: Authority): void => {
    for (const name of ['hive.pem', 'hive.key', 'ca.pem'])
      copyFileSync(authority.path(name), join(directory, name));
  };
  const start = async (isMutual = false): Promise<ServingTls> => {
    place(ours);
    const paths = { ca: isMutual ? 'ca.pem' : '', cert: 'hive.pem', key: 'hive.key' };
    const inDirectory = (name: string): string => (name === '' ? '' : join(directory, name));
    const tls = await ServingTls.open(new NodeDisk(), {
      ca: inDirectory(paths.ca),
      cert: inDirectory(paths.cert),
      key: inDirectory(paths.key),
    });
    service = await TestService.start({ environment: ALL, tls, grpcTls: tls, boltTls: tls });
    return tls;
  };

  /** A connection to HTTP, or the reason why there is none. */
  const shaken = async (options: ConnectionOptions): Promise<TLSSocket | string> => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(service.url).port), ...options });
    try {
      await once(socket, 'secureConnect');
      return socket;
    } catch (error) {
      return String(Reflect.get(error as object, 'code'));
    }
  };

  it('serves HTTP, gRPC and Bolt with it', async () => {
    await start();
    const { ca } = ours.material('hive');
    const answer = await page(`${service.url}/v1/health`, { ca: Buffer.from(ca) });
    const caller = new GraphCaller(service.grpcAddress, {
      credentials: ChannelCredentials.createSsl(Buffer.from(ca)),
    });
    const schema = await caller.schema();
    caller.close();
    const driver = neo4j.driver(`bolt+ssc://${service.boltAddress}`, neo4j.auth.basic('', ''));
    const { records } = await driver.executeQuery('RETURN 1 AS one');
    await driver.close();

    expect(service.url).toMatch(/^https:/);
    expect(answer.status).toBe(200);
    expect(schema).toBeDefined();
    expect(records).toHaveLength(1);
  });

  it('answers nothing in plain text on the same ports', async () => {
    await start();
    const ports = [new URL(service.url).port, service.grpcAddress, service.boltAddress].map((address) =>
      Number(address.split(':').at(-1)),
    );

    const answers = await Promise.all(
      ports.map(async (port) => {
        const socket = connectPlain(port, '127.0.0.1');
        socket.write('GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n');
        const chunks: Buffer[] = [];
        socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined);
        await new Promise((resolve) => socket.once('close', resolve));
        return Buffer.concat(chunks).toString('latin1');
      }),
    );

    // At most an alert of TLS.
    for (const answer of answers) expect(answer).not.toMatch(/HTTP|healthy/);
  });

  it('speaks TLS 1.2 and 1.3, and no older one', async () => {
    await start();
    const spoken: unknown[] = [];
    for (const version of ['TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const) {
      const socket = await shaken({
        rejectUnauthorized: false,
        minVersion: version,
        maxVersion: version,
        ciphers: 'ALL:@SECLEVEL=0',
      });
      spoken.push(typeof socket === 'string' ? 'none' : socket.getProtocol());
      if (typeof socket !== 'string') socket.destroy();
    }

    expect(spoken).toEqual(['none', 'TLSv1.2', 'TLSv1.3']);
  });

  it('takes a new certificate without a restart, and keeps the last good one', async () => {
    const tls = await start();
    const log = service.get(Log);
    const seen = async (): Promise<string> => {
      const socket = await shaken({ rejectUnauthorized: false });
      if (typeof socket === 'string') throw new Error(socket);
      const { fingerprint256 } = socket.getPeerCertificate();
      socket.destroy();
      return fingerprint256;
    };
    const open = await shaken({ rejectUnauthorized: false });
    const first = await seen();
    // A certificate without its key, as in the middle of a renewal.
    copyFileSync(renewed.path('hive.pem'), join(directory, 'hive.pem'));
    await tls.reload(log);
    const kept = await seen();
    place(renewed);
    await tls.reload(log);
    const second = await seen();

    expect([kept, second === first, typeof open === 'string' || open.destroyed]).toEqual([
      first,
      false,
      false,
    ]);
    if (typeof open !== 'string') open.destroy();
  });

  it('asks clients for a certificate where it has an authority of them', async () => {
    await start(true);
    const { ca, cert, key } = ours.material('client');
    const own = { ca: Buffer.from(ca), cert: Buffer.from(cert), key: Buffer.from(key) };

    const known = await page(`${service.url}/v1/health`, own);
    const without = page(`${service.url}/v1/health`, { ca: own.ca });

    expect(known.status).toBe(200);
    await expect(without).rejects.toThrow();
  });

  it('tells browsers to stay with TLS, except on this machine, and shows the end of the certificate', async () => {
    const tls = await start();
    const ca = Buffer.from(ours.material('hive').ca);
    const strict = async (path: string, Host: string): Promise<string | undefined> =>
      (await page(service.url + path, { ca, headers: { Host }, checkServerIdentity: () => undefined }))
        .strict;

    const seen = [
      await strict('/docs', 'plexus.example'),
      await strict('/docs', 'localhost:7700'),
      await strict('/v1/health', 'plexus.example'),
    ];
    const { text } = await page(`${service.url}/metrics`, { ca });

    expect(seen).toEqual(['max-age=31536000', undefined, undefined]);
    expect(text).toContain(`plexus_tls_certificate_end_seconds{listener="http"} ${tls.endsMs / 1_000}`);
  });

  it('is called by commands that trust its authority', async () => {
    await start();
    const settings = { url: service.url, apiKey: undefined };
    await expect(new HttpTarget({ ...settings, tlsCa: '' }).stats()).rejects.toThrow('no server answers');
    await expect(new HttpTarget({ ...settings, tlsCa: '/no/ca.pem' }).stats()).rejects.toThrow('/no/ca.pem');

    const stats = await new HttpTarget({ ...settings, tlsCa: ours.path('ca.pem') }).stats();

    expect(stats).toMatchObject({ version: expect.any(String) });
  });
});

interface PageAnswer {
  readonly status: number | undefined;
  readonly strict: string | undefined;
  readonly text: string;
}

type PageOptions = Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'checkServerIdentity'> & {
  readonly headers?: Record<string, string>;
};

async function page(url: string, options: PageOptions): Promise<PageAnswer> {
  const asked = request(url, { ...options, agent: false }).end();
  const [reply] = (await once(asked, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of reply) chunks.push(chunk as Buffer);
  const { statusCode: status, headers } = reply;
  return { status, strict: headers['strict-transport-security'], text: Buffer.concat(chunks).toString() };
}
