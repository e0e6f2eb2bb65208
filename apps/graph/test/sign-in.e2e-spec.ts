/** The sign-in of pages, as a client without a browser tries it. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Jar, signedIn, visit, wayBack } from './support/page-visitor.ts';
import { TestProvider } from './support/test-provider.ts';
import { TestService } from './support/test-service.ts';

const UNAUTHORIZED = '{"error":"Unauthorized","message":"missing or invalid API key"}';

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

  const back = (jar: Jar): Promise<string> => wayBack(service.url, jar, 'alice');
  const statsBy = async (headers: Record<string, string>): Promise<readonly [number, string]> => {
    const answer = await service.call('GET', '/v1/stats', undefined, headers);
    return [answer.status, answer.text];
  };

  it('asks the provider with PKCE, a state and a nonce', async () => {
    const jar = new Jar();
    const reply = await visit(`${service.url}/v1/sign-in`, jar);

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
    const jar = await signedIn(service.url, 'alice');

    const session = await visit(`${service.url}/v1/session`, jar);

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
    const url = await back(owner);
    const begun = await back(thief);
    const replay = new Jar();
    const kept = owner.header;

    const stolen = await visit(url, thief);
    const bare = await visit(url, new Jar());
    const taken = await visit(url, owner);
    const again = await visit(url, replay, { headers: { Cookie: kept } });
    const changed = new Jar();
    const other = new URL(await back(changed));
    other.searchParams.set('code', new URL(begun).searchParams.get('code') ?? '');
    const foreign = await visit(other.href, changed);
    const refused = await visit(`${service.url}/v1/sign-in/callback?error=x<script>&state=y`, new Jar());

    const statuses = [stolen, bare, taken, again, foreign, refused].map(({ status }) => status);
    expect(statuses).toEqual([400, 400, 303, 400, 400, 400]);
    expect(taken.headers.get('location')).toBe('/');
    expect([thief, replay, changed].map((jar) => jar.get('plexus-session'))).toEqual(
      Array(3).fill(undefined),
    );
    expect(await refused.text()).not.toContain('x<script>');
  });

  it('replaces the session of the same browser', async () => {
    const jar = await signedIn(service.url, 'alice');
    const first = jar.header;
    await visit(await back(jar), jar);

    expect(await statsBy({ Cookie: first })).toEqual([401, UNAUTHORIZED]);
    expect(await statsBy({ Cookie: jar.header })).toMatchObject({ 0: 200 });
  });

  it('lets a cookie change something only with the header of the page, from the page', async () => {
    const jar = await signedIn(service.url, 'alice');
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
    const cookie = (await signedIn(service.url, 'alice')).header;

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

  it('refuses to sign in without TLS, except on the same machine', async () => {
    const asked = request(`${service.url}/v1/sign-in`, { headers: { Host: 'plexus.example' } }).end();
    const [reply] = (await once(asked, 'response')) as [IncomingMessage];
    const page = await text(reply);

    expect([reply.statusCode, reply.headers['set-cookie']]).toEqual([403, undefined]);
    expect(page).toContain('Signing in needs TLS');
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
