/** A service behind something that ends TLS, as its pages and clients of MCP see it. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { createServer, getCACertificates, type Server, setDefaultCACertificates } from 'node:tls';
import { pipeline } from 'node:stream';
import { describeUnless } from '#testing';
import { Authority, isOpensslInstalled } from '../../hive/test/support/certificates.ts';
import { Jar, signedIn, visit } from './support/page-visitor.ts';
import { TestProvider } from './support/test-provider.ts';
import { TestService } from './support/test-service.ts';

const describeWithOpenssl = describeUnless(
  isOpensslInstalled ? undefined : 'openssl is not installed; Debian: apt-get install openssl',
);

/** Ends TLS, and passes the bytes on to the port that is set later. */
class TlsEnd {
  port = 0;
  readonly url: string;
  readonly #server: Server;

  static async start(authority: Authority): Promise<TlsEnd> {
    const server = createServer({
      cert: readFileSync(authority.path('hive.pem')),
      key: readFileSync(authority.path('hive.key')),
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TlsEnd(server);
  }

  private constructor(server: Server) {
    this.#server = server;
    this.url = `https://localhost:${(server.address() as AddressInfo).port}`;
    server.on('secureConnection', (outside) => {
      const inside = connect(this.port, '127.0.0.1');
      pipeline(outside, inside, outside, () => undefined);
    });
  }

  async stop(): Promise<void> {
    this.#server.close();
    await once(this.#server, 'close');
  }
}

describeWithOpenssl('a service with a public address', () => {
  const trusted = getCACertificates('default');
  let authority: Authority;
  let front: TlsEnd;
  let provider: TestProvider;
  let service: TestService;

  beforeAll(async () => {
    authority = new Authority('client');
    setDefaultCACertificates([...trusted, readFileSync(authority.path('ca.pem'), 'utf8')]);
    front = await TlsEnd.start(authority);
    provider = await TestProvider.start();
    provider.groups.set('alice', ['platform']);
    provider.serve(front.url);
    const environment = {
      ...provider.environment({ platform: 'editor' }),
      PLEXUS_MCP: 'on',
      PLEXUS_PUBLIC_URL: front.url,
    };
    service = await TestService.start({ environment });
    front.port = Number(new URL(service.url).port);
  });
  afterAll(async () => {
    setDefaultCACertificates(trusted);
    await service.stop();
    await provider.stop();
    await front.stop();
    authority.remove();
  });

  it('signs pages in over TLS, with cookies for this host alone', async () => {
    const begun = await visit(`${front.url}/v1/sign-in`, new Jar());
    const jar = await signedIn(front.url, 'alice');
    const session = await visit(`${front.url}/v1/session`, jar);
    const cookies = begun.headers.getSetCookie();

    expect(new URL(begun.headers.get('location') ?? '').searchParams.get('redirect_uri')).toBe(
      `${front.url}/v1/sign-in/callback`,
    );
    expect(cookies).toEqual([expect.stringMatching(/^__Host-plexus-sign-in=.*; Secure$/)]);
    expect(await session.json()).toMatchObject({ name: 'oidc:alice' });
  });

  it('takes no cookie that a page without TLS can have set', async () => {
    const jar = await signedIn(front.url, 'alice');
    const cookie = jar.header.replace('__Host-', '');

    const stats = await fetch(`${front.url}/v1/stats`, { headers: { Cookie: cookie } });

    expect(stats.status).toBe(401);
  });

  it('tells clients of MCP its public address', async () => {
    const refused = await fetch(`${front.url}/mcp`, { method: 'POST' });
    const metadata = await fetch(`${front.url}/.well-known/oauth-protected-resource/mcp`);

    expect(refused.headers.get('www-authenticate')).toContain(
      `resource_metadata="${front.url}/.well-known/oauth-protected-resource/mcp"`,
    );
    expect(await metadata.json()).toMatchObject({ resource: `${front.url}/mcp` });
  });
});
