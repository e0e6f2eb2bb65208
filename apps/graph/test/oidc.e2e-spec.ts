/** Access tokens of a real provider, as their holders and as others try them. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { generateKeyPair } from 'jose';
import { createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import neo4j from 'neo4j-driver';
import { callFault, GraphCaller } from '#graph/testing';
import { effort } from '#testing';
import { TestProvider } from './support/test-provider.ts';
import { type Answer, TestService } from './support/test-service.ts';

const UNAUTHORIZED = '{"error":"Unauthorized","message":"missing or invalid API key"}';
const ROLES = { platform: 'admin', staff: 'viewer', 'CN=Ops, OU=Groups': 'auditor' };

const bearer = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` });
const shown = ({ status: code, text }: Answer): readonly [number, string] => [code, text];

describe('a service with a provider of identities', () => {
  let directory: string;
  let provider: TestProvider;
  let service: TestService;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-oidc-'));
    const keys = join(directory, 'keys.yaml');
    await writeFile(keys, 'roles: { auditor: [metrics] }\n');
    provider = await TestProvider.start();
    provider.groups.set('machine', ['others', 'platform']);
    const environment = {
      ...provider.environment(ROLES),
      PLEXUS_KEYS: keys,
      PLEXUS_AUDIT: join(directory, 'audit.jsonl'),
      PLEXUS_MCP: 'on',
      PLEXUS_GRPC_PORT: '0',
      PLEXUS_BOLT_PORT: '0',
    };
    service = await TestService.start({ environment });
  });
  afterAll(async () => {
    await service.stop();
    await provider.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const stats = async (token: string): Promise<readonly [number, string]> =>
    shown(await service.call('GET', '/v1/stats', undefined, bearer(token)));

  it('answers the holder of a token over REST, gRPC, Bolt and MCP', async () => {
    const token = await provider.token();

    const overRest = await service.call('GET', '/v1/stats', undefined, bearer(token));
    const caller = new GraphCaller(service.grpcAddress, { key: token });
    const overGrpc = await caller.query('FIND host');
    caller.close();
    const rows: number[] = [];
    for (const auth of [neo4j.auth.bearer(token), neo4j.auth.basic('anyone', token)]) {
      const driver = neo4j.driver(`bolt://${service.boltAddress}`, auth);
      rows.push((await driver.executeQuery('RETURN 1 AS one')).records.length);
      await driver.close();
    }
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      },
    };
    const headers = { ...bearer(token), Accept: 'application/json, text/event-stream' };
    const overMcp = await service.call('POST', '/mcp', initialize, headers);

    expect([overRest.status, overMcp.status]).toEqual([200, 200]);
    expect(overGrpc.items).toEqual([]);
    expect(rows).toEqual([1, 1]);
  });

  it('gives each subject the roles of its groups, and names it in refusals and in the audit', async () => {
    const viewer = await provider.signed({ sub: 'alice', groups: ['staff'] });
    const both = await provider.signed({ sub: 'bob', groups: ['staff', 'CN=Ops, OU=Groups'] });
    const body = { entities: [{ type: 'host', key: 'of a viewer' }] };

    const refused = await service.call('POST', '/v1/ingest/write', body, bearer(viewer));
    const scraped = await service.call('GET', '/metrics', undefined, bearer(viewer));
    const ofBoth = [
      await service.call('GET', '/metrics', undefined, bearer(both)),
      await service.call('GET', '/v1/stats', undefined, bearer(both)),
    ];
    const trail = await readFile(join(directory, 'audit.jsonl'), 'utf8');

    expect(shown(refused)).toEqual([
      403,
      '{"error":"Forbidden","message":"oidc:alice lacks the permission write"}',
    ]);
    expect(scraped.status).toBe(403);
    expect(ofBoth.map(({ status: code }) => code)).toEqual([200, 200]);
    expect(trail).toContain('"who":"oidc:alice"');
    expect(trail).not.toContain('eyJ');
  });

  it('refuses every other token with the exact 401', async () => {
    const nowS = Math.floor(Date.now() / 1_000);
    const groups = ['platform'];
    const { privateKey: foreign } = await generateKeyPair('ES256');
    const pem = createPublicKey({ key: { ...provider.key.jwk }, format: 'jwk' });
    const publicText = pem.export({ type: 'spki', format: 'pem' }).toString();
    const unsigned = (header: object): string =>
      [header, { iss: provider.issuer, aud: 'urn:plexus:test', sub: 'x', exp: nowS + 300, groups }]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.');
    const good = await provider.signed({ groups });
    const [head = '', claims = '', signature = ''] = good.split('.');
    const tokens = {
      'of another audience': await provider.token('urn:another:service'),
      'of no audience': await provider.signed({ groups, aud: undefined }),
      'of another issuer': await provider.signed({ groups, iss: `${provider.issuer}/` }),
      'that has ended': await provider.signed({ groups, exp: nowS - 61 }),
      'without an end': await provider.signed({ groups, exp: undefined }),
      'that is not valid yet': await provider.signed({ groups, nbf: nowS + 90 }),
      'of no group': await provider.signed({}),
      'of other groups': await provider.signed({ groups: ['others', 'Platform', 'platform '] }),
      'with groups that are no list': await provider.signed({ groups: { platform: true } }),
      'without a subject': await provider.signed({ groups, sub: undefined }),
      'whose subject ends a line': await provider.signed({ groups, sub: 'x\ny' }),
      'that is bound to a key': await provider.signed({ groups, cnf: { jkt: 'x' } }),
      'of another type': await provider.signed({ groups }, { typ: 'logout+jwt' }),
      'of another key': await provider.signed({ groups }, {}, foreign),
      'of an unknown key': await provider.signed({ groups }, { kid: 'unknown' }, foreign),
      'with a key of its own': await provider.signed(
        { groups },
        { kid: undefined, jwk: provider.key.jwk },
        foreign,
      ),
      'with the public key as a shared secret': await provider.signed(
        { groups },
        { alg: 'HS256' },
        new TextEncoder().encode(publicText),
      ),
      'without a signature': `${unsigned({ alg: 'none' })}.`,
      'without an algorithm': `${unsigned({})}.AAAA`,
      'with a signature of nothing': `${unsigned({ alg: 'ES256', kid: provider.key.kid })}.AAAA`,
      'of an unknown extension': await provider
        .signed({ groups }, { crit: ['x'], x: 1 })
        .catch(() => 'x.y.z'),
      'with other claims': `${head}.${claims.slice(0, -4)}AAAA.${signature}`,
      'with half of the signature': good.slice(0, -43),
    };

    for (const [what, token] of Object.entries(tokens))
      expect([what, ...(await stats(token))]).toEqual([what, 401, UNAUTHORIZED]);
    const [isGood] = await stats(good);
    expect(isGood).toBe(200);
    const caller = new GraphCaller(service.grpcAddress, { key: tokens['of another audience'] });
    const fault = await callFault(caller.query('FIND host'));
    caller.close();
    expect(fault).toMatchObject({ status: 'UNAUTHENTICATED', error: JSON.parse(UNAUTHORIZED) as object });
  });

  it('allows clocks to differ by a minute', async () => {
    const nowS = Math.floor(Date.now() / 1_000);
    const groups = ['platform'];

    const [ended] = await stats(await provider.signed({ groups, exp: nowS - 30 }));
    const [early] = await stats(await provider.signed({ groups, nbf: nowS + 30 }));

    expect([ended, early]).toEqual([200, 200]);
  });

  it('answers no token that was changed anywhere', async () => {
    const token = await provider.signed({ groups: ['platform'] });
    const changed = fc
      .tuple(fc.nat(token.length - 1), fc.constantFrom('A', 'b', '0', '-', '_', '.', '=', ',', ' ', '\t'))
      .map(([at, sign]) => token.slice(0, at) + sign + token.slice(at + 1))
      // The last sign of a part has bits that say nothing.
      .filter((text) => decoded(text) !== decoded(token));
    const other = fc
      .array(fc.base64String({ maxLength: 40 }), { maxLength: 5 })
      .map((parts) => parts.join('.'));

    await fc.assert(
      fc.asyncProperty(fc.oneof(changed, other), async (text) => {
        const answer = await service.call('GET', '/v1/stats', undefined, { Authorization: `Bearer ${text}` });
        expect(shown(answer)).toEqual([401, UNAUTHORIZED]);
      }),
      { numRuns: effort(500, 50) },
    );
  });

  it.each([
    ['200', 'platform', '{"entities":[]}'],
    ['401', 'others', ''],
  ])('asks for a body only after the token is checked, and answers %s', async (wanted, group, body) => {
    const token = await provider.signed({ groups: [group] });
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1').setEncoding('utf8');
    let text = '';
    const ended = once(socket, 'close');
    socket.on('data', (part: string) => {
      text += part;
      if (text.endsWith('100 Continue\r\n\r\n')) socket.write(body);
    });
    socket.write(
      `POST /v1/ingest/write HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 15\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n',
    );
    await ended;

    expect(text.match(/^HTTP\/1\.1 \d+/gm)).toEqual(
      wanted === '200' ? ['HTTP/1.1 100', 'HTTP/1.1 200'] : ['HTTP/1.1 401'],
    );
  });
});

function decoded(token: string): string {
  return token
    .split('.')
    .map((part) => Buffer.from(part, 'base64url').toString('hex'))
    .join('.');
}
