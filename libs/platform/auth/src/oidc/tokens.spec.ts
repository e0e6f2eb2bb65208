import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SetClock } from '../../test/set-clock.ts';
import { Admission, type Refusal } from '../admission.ts';
import { GRAPH_ACCESS, ownRoles, type Role } from '../permission.ts';
import { GroupRoles } from './group-roles.ts';
import { Provider } from './provider.ts';
import { PublicAddress } from './public-address.ts';
import { Tokens } from './tokens.ts';

const MINUTE_MS = 60_000;
const AUDIENCE = 'here';

interface Signer {
  readonly jwk: JWK;
  readonly privateKey: CryptoKey;
}

async function signer(kid: string): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  return { jwk: { ...(await exportJWK(publicKey)), kid }, privateKey };
}

/** A server of two documents, and what was asked of it. */
class Published {
  readonly issuer: string;
  keys: unknown;
  asked = 0;
  status = 200;
  metadata: Readonly<Record<string, unknown>>;
  readonly #server: Server;

  static async start(): Promise<Published> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Published(server);
  }

  private constructor(server: Server) {
    this.#server = server;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.metadata = { issuer: this.issuer, jwks_uri: `${this.issuer}/keys` };
    server.on('request', (request, response) => {
      const isKeys = request.url === '/keys';
      if (isKeys) this.asked++;
      response.statusCode = this.status;
      response.setHeader('Location', '/elsewhere');
      response.end(JSON.stringify(isKeys ? this.keys : this.metadata));
    });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

describe('tokens', () => {
  let clock: SetClock;
  let published: Published;
  let first: Signer;
  let second: Signer;
  let roles: Map<string, Role>;
  let tokens: Tokens;
  let log: string[];

  beforeEach(async () => {
    clock = new SetClock();
    log = [];
    published = await Published.start();
    [first, second] = [await signer('first'), await signer('second')];
    published.keys = { keys: [first.jwk] };
    roles = ownRoles(GRAPH_ACCESS);
    tokens = new Tokens({
      provider: new Provider({ issuer: published.issuer, clock }),
      audiences: ['there', AUDIENCE],
      roles: GroupRoles.parse('groups: {staff: viewer}', 'ROLES', () => roles),
      clock,
    });
    const write = (fields: object): void => void log.push(JSON.stringify(fields));
    tokens.reportTo({ info: write, warn: write, error: write });
  });
  afterEach(() => published.stop());

  const token = ({ jwk, privateKey }: Signer, claims: object = {}, header: object = {}): Promise<string> => {
    const usual = { iss: published.issuer, aud: AUDIENCE, sub: 'alice', groups: ['staff'] };
    return new SignJWT({ ...usual, exp: Math.floor(clock.nowMs() / 1_000) + 3_600, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: jwk.kid ?? '', ...header })
      .sign(privateKey);
  };
  const nameOf = async (text: string): Promise<string | undefined> => (await tokens.find(text))?.name;

  it('are checked once, and found at once from then on', async () => {
    const text = await token(first);

    const checked = await tokens.find(text);

    expect(checked).toMatchObject({ name: 'oidc:alice', permissions: new Set(['read']) });
    expect(tokens.find(text)).toMatchObject({ name: 'oidc:alice' });
    expect(published.asked).toBe(1);
  });

  it('of an unknown key have the keys fetched at most once a minute', async () => {
    const known = await token(first);
    await nameOf(known);
    const unknown = await Promise.all(['a', 'b', 'c'].map((kid) => token(second, {}, { kid })));
    clock.pass(MINUTE_MS - 1);

    await Promise.all(unknown.map(nameOf));
    const within = published.asked;
    clock.pass(1);
    await Promise.all(unknown.map(nameOf));
    await Promise.all(unknown.map(nameOf));

    expect([within, published.asked]).toEqual([1, 2]);
  });

  it('of a new key are valid at once, and those of a withdrawn one no longer', async () => {
    const [old, next] = [await token(first), await token(second)];
    await nameOf(old);
    published.keys = { keys: [second.jwk] };
    clock.pass(MINUTE_MS);

    expect([await nameOf(next), await nameOf(old)]).toEqual(['oidc:alice', undefined]);
  });

  it('of a withdrawn key end after ten minutes without tokens of a new key', async () => {
    const old = await token(first);
    await nameOf(old);
    published.keys = { keys: [second.jwk] };
    clock.pass(10 * MINUTE_MS);

    expect(await nameOf(old)).toBeUndefined();
  });

  it('of a key that was replaced under the same name are no longer valid', async () => {
    const old = await token(first);
    await nameOf(old);
    published.keys = { keys: [{ ...second.jwk, kid: 'first' }] };
    clock.pass(10 * MINUTE_MS);

    expect(await nameOf(old)).toBeUndefined();
  });

  it('stay valid while the provider is away, and new keys count when it is back', async () => {
    const [old, next] = [await token(first), await token(second)];
    await nameOf(old);
    published.status = 503;
    clock.pass(20 * MINUTE_MS);

    const meanwhile = [await nameOf(old), await nameOf(next)];
    published.status = 200;
    published.keys = { keys: [first.jwk, second.jwk] };
    clock.pass(MINUTE_MS);

    expect(meanwhile).toEqual(['oidc:alice', undefined]);
    expect(await nameOf(next)).toBe('oidc:alice');
    expect(log.filter((line) => line.includes('it answers 503'))).toHaveLength(1);
  });

  it.each<[string, (at: Published) => void]>([
    ['names another issuer', (at) => (at.metadata = { ...at.metadata, issuer: 'https://evil.example' })],
    [
      'has keys of plain http elsewhere',
      (at) => (at.metadata = { ...at.metadata, jwks_uri: 'http://x.example' }),
    ],
    ['has no keys', (at) => (at.keys = { keys: 'none' })],
    ['has keys that are no objects', (at) => (at.keys = { keys: [1] })],
    ['has a secret as its key', (at) => (at.keys = { keys: [{ kty: 'oct', k: 'c2VjcmV0', kid: 'first' }] })],
    [
      'has a key of no curve',
      (at) => (at.keys = { keys: [{ kty: 'EC', crv: 'x', x: '', y: '', kid: 'first' }] }),
    ],
    ['has no metadata', (at) => (at.metadata = {})],
    ['redirects', (at) => (at.status = 302)],
    ['has too long a document', (at) => (at.keys = { keys: [first.jwk], more: 'x'.repeat(2 ** 20) })],
  ])('are refused where the provider %s', async (_what, spoil) => {
    spoil(published);

    expect(await nameOf(await token(first))).toBeUndefined();
    expect(log).toHaveLength(1);
  });

  it('end a minute after their own end, also where they were found before', async () => {
    const text = await token(first, { exp: clock.nowMs() / 1_000 + 1 });
    await nameOf(text);
    clock.pass(MINUTE_MS + 999);
    const last = await nameOf(text);
    clock.pass(1);

    expect([last, await nameOf(text)]).toEqual(['oidc:alice', undefined]);
  });

  it('have the permissions that the role of their group has by now', async () => {
    const text = await token(first);
    await nameOf(text);
    roles = new Map([['viewer', { permissions: ['read', 'metrics'] }]]);
    const more = await tokens.find(text);
    roles = new Map();

    expect(more?.permissions).toEqual(new Set(['read', 'metrics']));
    expect(await nameOf(text)).toBeUndefined();
  });

  it('may be bound to no key, name no key, and have an audience among others', async () => {
    expect(await nameOf(await token(first, { aud: ['x', AUDIENCE] }, { kid: undefined }))).toBe('oidc:alice');
    expect(await nameOf(await token(first, { cnf: {} }))).toBeUndefined();
    expect(await nameOf(await token(first, { more: 'x'.repeat(16_384) }))).toBeUndefined();
  });

  it('end what is open when their key is withdrawn', async () => {
    const admission = new Admission({
      apiKey: undefined,
      signOn: { issuer: published.issuer, tokens, address: PublicAddress.parse(''), open: () => undefined },
      host: '127.0.0.1',
      allowedHosts: [],
      publicPages: false,
      publicDocs: false,
    });
    const caller = await admission.callerOfKey(await token(first));
    if (caller === undefined) throw new Error('expected a caller');
    const ended = new Promise<Refusal>((resolve) => {
      admission.follow({ caller, requirement: undefined }, resolve);
    });
    published.keys = { keys: [second.jwk] };
    clock.pass(MINUTE_MS);

    await nameOf(await token(second));

    expect(await ended).toMatchObject({ status: 401 });
    expect(admission.current(caller)).toBeUndefined();
    expect(admission.modes).toEqual({ mode: 'protected', pages: 'protected' });
  });

  it('say why they are refused once a minute, and nothing of what they are', async () => {
    const texts = await Promise.all(['x', 'y'].map((sub) => token(first, { sub, aud: 'elsewhere' })));
    for (const text of texts) await nameOf(text);

    expect(log).toEqual(['{"event":"oidc.token_refused","reason":"its claim aud does not fit"}']);
  });
});

describe('the roles of groups', () => {
  const parse = (text: string): GroupRoles => GroupRoles.parse(text, 'ROLES', () => ownRoles(GRAPH_ACCESS));

  it.each([
    [{ groups: ['a'] }, 'groups: {a: viewer}'],
    [{ role: 'a' }, 'role: {a: viewer}'],
    [{ realm_access: { roles: ['b', 'a'] } }, 'realm_access.roles: {a: viewer}'],
    [{ 'https://x.example/roles': ['a'] }, '"https://x.example/roles": {a: viewer}'],
    [{ groups: ['CN=a, OU=b'] }, '{"groups": {"CN=a, OU=b": "viewer"}}'],
  ])('are found in %j by %s', (claims, text) => {
    const roles = parse(text);

    expect(roles.accessOf(roles.groupsIn(claims))?.permissions).toEqual(new Set(['read']));
  });

  it.each([
    [{ groups: [['a'], 1, null, { a: 1 }] }],
    [{ groups: { a: 'viewer' } }],
    [{ groups: null }],
    [{}],
    [Object.create({ groups: ['a'] }) as object],
  ])('are not found in %j', (claims) => {
    const roles = parse('groups: {a: viewer}');

    expect(roles.accessOf(roles.groupsIn(claims))).toBeUndefined();
  });

  it.each([
    ['', 'ROLES'],
    ['groups', 'ROLES:1:1'],
    ['groups: admin', 'ROLES:1:9'],
    ['{a: {x: viewer}, b: {x: viewer}}', 'ROLES'],
    ['groups: {a: root}', 'ROLES:1:13: expected one of the roles viewer, editor, admin, scraper'],
    ['groups: {a: collector}', 'ROLES:1:13: expected one of the roles viewer, editor, admin, scraper'],
    ['groups: {constructor: toString}', 'ROLES:1:23: expected one of'],
  ])('are refused as %j', (text, place) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }));
    expect(() => parse(text)).toThrow(place);
  });
});
