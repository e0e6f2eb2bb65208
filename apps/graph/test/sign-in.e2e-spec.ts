/** The sign-in of pages, as a client without a browser tries it. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { TestProvider } from './support/test-provider.ts';
import { TestService } from './support/test-service.ts';

const UNAUTHORIZED = '{"error":"Unauthorized","message":"missing or invalid API key"}';

/** Cookies by name, as a browser keeps them. */
class Jar {
  readonly #kept = new Map<string, string>();

  take(reply: Response): void {
    for (const line of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.#kept.delete(name);
      else this.#kept.set(name, value);
    }
  }

  get(name: string): string | undefined {
    return this.#kept.get(name);
  }

  get header(): string {
    return [...this.#kept].map(([name, value]) => `${name}=${value}`).join('; ');
  }
}

describe('the sign-in of pages', () => {
  let provider: TestProvider;
  let service: TestService;

  beforeAll(async () => {
    provider = await TestProvider.start();
    provider.groups.set('alice', ['platform']);
    const environment = { ...provider.environment({ platform: 'editor' }), PLEXUS_MCP: 'on' };
    service = await TestService.start({ environment });
    provider.serve(service.url);
  });
  afterAll(async () => {
    await service.stop();
    await provider.stop();
  });

  const get = async (url: string, jar: Jar, init: RequestInit = {}): Promise<Response> => {
    const reply = await fetch(url, {
      redirect: 'manual',
      ...init,
      headers: { Cookie: jar.header, ...(init.headers as Record<string, string>) },
    });
    jar.take(reply);
    return reply;
  };
  const locationOf = (reply: Response, base: string): string =>
    new URL(reply.headers.get('location') ?? '', base).href;

  /** The address with which the provider sends the browser back. */
  const wayBack = async (jar: Jar, login = 'alice'): Promise<string> => {
    const atProvider = new Jar();
    const begun = await get(`${service.url}/v1/sign-in`, jar);
    let reply = await get(locationOf(begun, service.url), atProvider);
    const form = locationOf(reply, provider.issuer);
    reply = await get(form, atProvider, { method: 'POST', body: new URLSearchParams({ login }) });
    reply = await get(locationOf(reply, provider.issuer), atProvider);
    return locationOf(reply, provider.issuer);
  };
  const signedIn = async (): Promise<Jar> => {
    const jar = new Jar();
    await get(await wayBack(jar), jar);
    return jar;
  };
  const statsBy = async (headers: Record<string, string>): Promise<readonly [number, string]> => {
    const { status, text } = await service.call('GET', '/v1/stats', undefined, headers);
    return [status, text];
  };

  it('asks the provider with PKCE, state and nonce, which nobody else knows', async () => {
    const jar = new Jar();
    const reply = await get(`${service.url}/v1/sign-in`, jar);

    const asked = new URL(reply.headers.get('location') ?? '').searchParams;
    const kept = JSON.parse(Buffer.from(jar.get('plexus-sign-in') ?? '', 'base64url').toString()) as Record<
      string,
      string
    >;

    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      code_challenge: createHash('sha256')
        .update(kept['verifier'] ?? '')
        .digest('base64url'),
      state: kept['state'],
      nonce: kept['nonce'],
      redirect_uri: `${service.url}/v1/sign-in/callback`,
    });
    expect(reply.headers.getSetCookie().join()).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/);
    expect([reply.headers.get('cache-control'), reply.headers.get('referrer-policy')]).toEqual([
      'no-store',
      'no-referrer',
    ]);
  });

  it('begins a session, of which the page learns the name and the permissions', async () => {
    const jar = await signedIn();

    const session = await get(`${service.url}/v1/session`, jar);

    expect(await session.json()).toMatchObject({
      sign_in: '/v1/sign-in',
      name: 'oidc:alice',
      permissions: ['read', 'write', 'sources', 'policies'],
    });
    expect(await statsBy({ Cookie: jar.header })).toMatchObject({ 0: 200 });
    expect(jar.get('plexus-sign-in')).toBeUndefined();
  });

  it('takes no state that was stolen, no code twice, and no answer that it did not ask for', async () => {
    const [owner, thief] = [new Jar(), new Jar()];
    const url = await wayBack(owner);
    const begun = await wayBack(thief);
    const replay = new Jar();
    const kept = owner.header;

    const stolen = await get(url, thief);
    const bare = await get(url, new Jar());
    const taken = await get(url, owner);
    const again = await get(url, replay, { headers: { Cookie: kept } });
    const changed = new Jar();
    const other = new URL(await wayBack(changed));
    other.searchParams.set('code', new URL(begun).searchParams.get('code') ?? '');
    const foreign = await get(other.href, changed);
    const refused = await get(`${service.url}/v1/sign-in/callback?error=x<script>&state=y`, new Jar());

    const statuses = [stolen, bare, taken, again, foreign, refused].map(({ status }) => status);
    expect(statuses).toEqual([400, 400, 303, 400, 400, 400]);
    expect(taken.headers.get('location')).toBe('/');
    expect([thief, replay, changed].map((jar) => jar.get('plexus-session'))).toEqual(
      Array(3).fill(undefined),
    );
    expect(await refused.text()).not.toContain('x<script>');
  });

  it('replaces the session of the same browser', async () => {
    const jar = await signedIn();
    const first = jar.header;
    await get(await wayBack(jar), jar);

    expect(await statsBy({ Cookie: first })).toEqual([401, UNAUTHORIZED]);
    expect(await statsBy({ Cookie: jar.header })).toMatchObject({ 0: 200 });
  });

  it('lets a cookie change something only with the header of the page, from the page', async () => {
    const jar = await signedIn();
    const body = { entities: [{ type: 'host', key: 'by a cookie' }] };
    const write = async (headers: Record<string, string>): Promise<number> =>
      (await service.call('POST', '/v1/ingest/write', body, { Cookie: jar.header, ...headers })).status;

    expect([
      await write({}),
      await write({ 'X-Plexus-Page': '1', 'Sec-Fetch-Site': 'same-site' }),
      await write({ 'X-Plexus-Page': '1', 'Sec-Fetch-Site': 'cross-site' }),
      await write({ 'X-Plexus-Page': '1', 'Sec-Fetch-Site': 'same-origin' }),
      await write({ 'X-Plexus-Page': '1' }),
    ]).toEqual([401, 401, 401, 200, 200]);
    expect((await service.call('DELETE', '/v1/session', undefined, { Cookie: jar.header })).status).toBe(401);
    expect(await statsBy({ Cookie: jar.header })).toMatchObject({ 0: 200 });
  });

  it('takes no cookie beside a wrong key, none twice, and none where it is not this machine', async () => {
    const cookie = (await signedIn()).header;

    const answers = [
      await statsBy({ Cookie: cookie, Authorization: 'Bearer wrong' }),
      await statsBy({ Cookie: `${cookie}; ${cookie}` }),
      await statsBy({ Cookie: cookie.toUpperCase() }),
      await statsBy({ Cookie: `__Host-${cookie}` }),
      await statsBy({ Cookie: `${cookie}x` }),
    ];

    expect(answers).toEqual(Array(5).fill([401, UNAUTHORIZED]));
  });

  it('tells clients of MCP where to get a token, beside the exact 401', async () => {
    const refused = await service.call('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' });
    const elsewhere = await service.call('GET', '/v1/stats');
    const [, address = ''] =
      /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
    const metadata = await fetch(address);

    expect([refused.status, refused.text]).toEqual([401, UNAUTHORIZED]);
    expect(elsewhere.headers.get('www-authenticate')).toBe('Bearer');
    expect(await metadata.json()).toEqual({
      resource: `${service.url}/mcp`,
      authorization_servers: [provider.issuer],
      bearer_methods_supported: ['header'],
    });
  });

  it('describes in its documentation how to be admitted', async () => {
    const token = await provider.signed({ groups: ['platform'] });
    const document = await service.json(200, 'GET', '/docs-json', undefined, {
      Authorization: `Bearer ${token}`,
    });

    expect(document['components']).toMatchObject({
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer' },
        single_sign_on: {
          type: 'openIdConnect',
          openIdConnectUrl: `${provider.issuer}/.well-known/openid-configuration`,
        },
        session: { type: 'apiKey', in: 'cookie', name: 'plexus-session' },
      },
    });
    expect(document['security']).toEqual([{ key: [] }, { single_sign_on: [] }, { session: [] }]);
  });
});
