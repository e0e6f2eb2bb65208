/** Every route, method, statement and tool of the service, asked with a key of every role. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, ChannelCredentials, Metadata, status } from '@grpc/grpc-js';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import neo4j from 'neo4j-driver';
import { GRAPH_METHODS } from '#graph/api/grpc';
import { TOOLS } from '#graph/api/mcp';
import { type Caller, GRAPH_ACCESS, lackOf, type Requirement } from '#platform/auth';
import { type AccessRow, accessTable, keyLine, keysOfRoles, pageWith, routesOf, secretOf } from '#testing';
import { signedIn } from './support/page-visitor.ts';
import { TestProvider } from './support/test-provider.ts';
import { type Answer, TestService } from './support/test-service.ts';

const PAGE = join(import.meta.dirname, '../../../docs/access.md');
const SCOPE = { except: { types: ['hushed'] } };
/** Beside the roles of the program one of the file, whose scope hides a part of the data. */
const ROLES = [...Object.keys(GRAPH_ACCESS.roles), 'scoped'];
const ID = '00000000000000000000000000000000';
/** Pages, which are open where they have to sign in. */
const OPENED = /^\/(?:assets\/.*|docs(?:\/.*)?)?$/;
const UNAUTHORIZED = '{"error":"Unauthorized","message":"missing or invalid API key"}';

function bearer(role: string): Record<string, string> {
  return { Authorization: `Bearer ${secretOf(role)}` };
}

/** How an answer looks in the table; a refusal has to be the exact one. */
function cellOf({ status: code, text }: Answer, role: string, requirement: Requirement): string {
  if (code === 401) expect(text).toBe(UNAUTHORIZED);
  if (code !== 403) return code === 401 ? '401' : granted(role, requirement);
  const message = `${role} lacks the permission ${requirement.permission}`;
  expect(text).toBe(JSON.stringify({ error: 'Forbidden', message }));
  return 'no';
}

function granted(role: string, { keepsSource }: Requirement): string {
  return role === 'collector' && keepsSource ? 'own source' : 'yes';
}

/** A keys file with a key of every role. */
async function keysIn(directory: string): Promise<string> {
  const file = join(directory, 'keys.yaml');
  const scoped = `  scoped: { permissions: [read], except: { types: [hushed] } }`;
  await writeFile(file, keysOfRoles(GRAPH_ACCESS, keyLine('scoped'), 'roles:', scoped));
  return file;
}

/** What a role may do, and what exists for it. */
function accessOf(role: string): Pick<Caller, 'permissions' | 'scope'> {
  const permissions = GRAPH_ACCESS.roles[role];
  return permissions === undefined
    ? { permissions: new Set(['read']), scope: SCOPE }
    : { permissions: new Set(permissions) };
}

describe('the table of routes and roles (UPDATE_GOLDEN=1 rewrites it)', () => {
  let directory: string;
  let service: TestService;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-access-'));
    const keys = await keysIn(directory);
    const environment = {
      PLEXUS_KEYS: keys,
      PLEXUS_MCP: 'on',
      PLEXUS_GRPC_PORT: '0',
      PLEXUS_BOLT_PORT: '0',
    };
    service = await TestService.start({ environment });
  });
  afterAll(async () => {
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('has a decision for every route', () => {
    const routes = routesOf(service.app);

    const undecided = routes.filter(({ isPublic, requirement }) => !isPublic && requirement === undefined);
    expect(undecided).toEqual([]);
    expect(routes.length).toBeGreaterThan(40);
  });

  it('shows what each role may ask over HTTP', async () => {
    const rows: AccessRow[] = [];
    for (const { method, path, requirement, isPublic } of routesOf(service.app)) {
      const asked = path.replaceAll(/:\w+/g, ID);
      const unknown = await service.call(method, asked);
      const cells: string[] = [];
      for (const role of ROLES) {
        if (requirement === undefined) {
          expect([isPublic, unknown.status]).toEqual([true, 200]);
          cells.push('everyone');
        } else {
          expect([method, path, unknown.status, unknown.text]).toEqual([method, path, 401, UNAUTHORIZED]);
          cells.push(cellOf(await service.call(method, asked, undefined, bearer(role)), role, requirement));
        }
      }
      rows.push({ what: `\`${method} ${path}\``, cells });
    }

    const { page, wanted } = await pageWith(PAGE, 'graph-routes', accessTable(['Route', ...ROLES], rows));
    expect(page).toBe(wanted);
  });

  it('shows what each role may call over gRPC', async () => {
    const client = new Client(service.grpcAddress, ChannelCredentials.createInsecure());
    const call = (
      method: string,
      key: string,
    ): Promise<{ readonly code: status; readonly details: string }> =>
      new Promise((resolve) => {
        const metadata = new Metadata();
        metadata.set('authorization', `Bearer ${key}`);
        const stream = client.makeBidiStreamRequest(
          `/${method}`,
          (bytes: Buffer) => bytes,
          (bytes: Buffer) => bytes,
          metadata,
        );
        stream.on('status', resolve).on('error', () => undefined);
        stream.resume();
        stream.end(Buffer.alloc(0));
      });

    const rows: AccessRow[] = [];
    for (const [method, requirement] of [...GRAPH_METHODS].sort()) {
      expect(await call(method, 'no key')).toMatchObject({
        code: status.UNAUTHENTICATED,
        details: 'missing or invalid API key',
      });
      const cells: string[] = [];
      for (const role of ROLES) {
        const { code, details } = await call(method, secretOf(role));
        const isRefused = code === status.PERMISSION_DENIED;
        if (isRefused) expect(details).toBe(`${role} lacks the permission ${requirement.permission}`);
        cells.push(isRefused ? 'no' : granted(role, requirement));
      }
      rows.push({ what: `\`${method.split('/')[1] ?? ''}\``, cells });
    }
    client.close();

    const { page, wanted } = await pageWith(PAGE, 'graph-grpc', accessTable(['Method', ...ROLES], rows));
    expect(page).toBe(wanted);
  });

  it('shows which statements each role may run, over Bolt as over REST', async () => {
    const statements = {
      'that reads: `MATCH (n) RETURN n`': 'MATCH (n) RETURN n LIMIT 1',
      'that writes: `CREATE (n:Host {id: 1})`': 'CREATE (n:Host {id: 1})',
      'that does both: `CREATE (n:Host {id: 2}) RETURN n`': 'CREATE (n:Host {id: 2}) RETURN n',
      'that changes the schema: `CREATE INDEX …`': 'CREATE INDEX i IF NOT EXISTS FOR (n:Host) ON (n.name)',
    };

    const rows: AccessRow[] = [];
    for (const [what, statement] of Object.entries(statements)) {
      const cells: string[] = [];
      for (const role of ROLES) {
        const overBolt = await answerOverBolt(service.boltAddress, role, statement);
        const overRest = await service.call('POST', '/v1/cypher', { cypher: statement }, bearer(role));
        expect([role, overRest.status]).toEqual([role, overBolt === 'yes' ? 200 : 403]);
        cells.push(overBolt);
      }
      rows.push({ what, cells });
    }

    const { page, wanted } = await pageWith(PAGE, 'graph-cypher', accessTable(['Statement', ...ROLES], rows));
    expect(page).toBe(wanted);
  });

  it('shows which tools of MCP each role may call', async () => {
    const rows = TOOLS.map(({ name, requires: permission, keepsScope }) => {
      const requirement = { permission, keepsSource: false, keepsScope };
      const cells = ROLES.map((role) => {
        return lackOf({ ...accessOf(role), name: role, source: undefined }, requirement) === undefined
          ? 'yes'
          : 'no';
      });
      return { what: `\`${name}\``, cells };
    });

    const { page, wanted } = await pageWith(PAGE, 'graph-tools', accessTable(['Tool', ...ROLES], rows));
    expect(page).toBe(wanted);
  });
});

describe('the table of routes and roles with single sign-on', () => {
  const roles = ROLES.filter((role) => role !== 'collector');
  let directory: string;
  let provider: TestProvider;
  let service: TestService;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-access-'));
    provider = await TestProvider.start();
    for (const role of roles) provider.groups.set(role, [role]);
    const groups = Object.fromEntries(roles.map((role) => [role, role]));
    service = await TestService.start({
      environment: {
        ...provider.environment(groups),
        PLEXUS_KEYS: await keysIn(directory),
        PLEXUS_MCP: 'on',
      },
    });
    provider.serve(service.url);
  });
  afterAll(async () => {
    await service.stop();
    await provider.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('is the same for tokens and for sessions of pages', async () => {
    const shown: [string, Record<string, string>][] = [];
    for (const role of roles) {
      const token = await provider.signed({ sub: role, groups: [role] });
      const cookie = (await signedIn(service.url, role)).header;
      shown.push(
        [role, { Authorization: `Bearer ${token}` }],
        [role, { Cookie: cookie, 'X-Plexus-Page': '1' }],
      );
    }

    for (const { method, path, requirement } of routesOf(service.app)) {
      if (requirement === undefined || OPENED.test(path)) continue;
      const asked = path.replaceAll(/:\w+/g, ID);
      for (const [role, headers] of shown) {
        const { status: code, text } = await service.call(method, asked, undefined, headers);
        const caller = { ...accessOf(role), name: `oidc:${role}`, source: undefined };
        const lack = lackOf(caller, requirement);
        expect([method, path, code === 401]).toEqual([method, path, false]);
        expect([method, path, role, code === 403 ? text : undefined]).toEqual([
          method,
          path,
          role,
          lack && JSON.stringify(lack.getResponse()),
        ]);
      }
    }
  });

  it('has the routes of the sign-in, for everyone', async () => {
    const rows: AccessRow[] = [];
    for (const { method, path, requirement } of routesOf(service.app)) {
      if (requirement !== undefined || path === '/v1/health') continue;
      const { status: code } = await service.call(method, path, undefined, { 'X-Plexus-Page': '1' });
      expect([path, code === 401 || code === 403]).toEqual([path, false]);
      rows.push({ what: `\`${method} ${path}\``, cells: ROLES.map(() => 'everyone') });
    }

    const { page, wanted } = await pageWith(PAGE, 'graph-sign-in', accessTable(['Route', ...ROLES], rows));
    expect(page).toBe(wanted);
    expect(rows.length).toBeGreaterThan(5);
  });
});

async function answerOverBolt(address: string, role: string, statement: string): Promise<string> {
  const driver = neo4j.driver(`bolt://${address}`, neo4j.auth.basic('', secretOf(role)));
  try {
    await driver.executeQuery(statement);
    return 'yes';
  } catch (error) {
    expect(error).toMatchObject({ code: 'Neo.ClientError.Security.Forbidden' });
    expect(String(error)).toMatch(new RegExp(`${role} lacks the permission \\w+$`));
    return 'no';
  } finally {
    await driver.close();
  }
}
