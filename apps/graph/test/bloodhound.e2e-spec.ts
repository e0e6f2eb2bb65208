/** A collection of SharpHound in the graph: paths to the domain's administrators, in PQL and in Cypher. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstPartyConnectors, readConnector, type RunRecord } from '#graph/connector';
import { NodeDisk } from '#platform/disk';
import { TestService } from './support/test-service.ts';

const DOMAIN = 'S-1-5-21-1-2-3';
const sid = (rid: number): string => `${DOMAIN}-${rid}`;
const ref = (rid: number, type: string) => ({ ObjectIdentifier: sid(rid), ObjectType: type });
const object = (id: string, name: string, more: object = {}) => ({
  ObjectIdentifier: id,
  Properties: {
    name,
    domainsid: DOMAIN,
    enabled: true,
    hasspn: name.startsWith('SVC'),
    dontreqpreauth: false,
  },
  Aces: [],
  ...more,
});
const GLOBAL_ADMINISTRATOR = '62e90394-69f5-4237-9190-012177145e10';
let directory: string;
let service: TestService;

/** ANN is in HELPDESK of the tenant, which administers it; BOB owns nothing. */
const AZURE = [
  ['AZTenant', { tenantId: 't1', displayName: 'corp' }],
  ['AZUser', { id: 'u1', userPrincipalName: 'ann@corp', tenantId: 't1' }],
  ['AZUser', { id: 'u2', userPrincipalName: 'bob@corp', tenantId: 't1' }],
  ['AZGroup', { id: 'g1', displayName: 'Helpdesk', tenantId: 't1' }],
  [
    'AZGroupMember',
    { groupId: 'g1', members: [{ member: { id: 'u1', '@odata.type': '#microsoft.graph.user' } }] },
  ],
  ['AZRole', { id: GLOBAL_ADMINISTRATOR, displayName: 'Global Administrator', tenantId: 't1' }],
  [
    'AZRoleAssignment',
    {
      roleDefinitionId: GLOBAL_ADMINISTRATOR,
      tenantId: 't1',
      roleAssignments: [{ principalId: 'g1', roleDefinitionId: GLOBAL_ADMINISTRATOR, directoryScopeId: '/' }],
    },
  ],
].map(([kind, data]) => ({ kind, data }));

/** ANN is in HELPDESK, which administers a computer where BOB, a domain administrator, has a session. */
const FILES = {
  users: [
    object(sid(1105), 'ANN@LAB'),
    object(sid(1106), 'BOB@LAB'),
    object(sid(1107), 'SVC@LAB', {
      Aces: [{ PrincipalSID: sid(1105), PrincipalType: 'User', RightName: 'GenericAll', IsInherited: false }],
    }),
  ],
  groups: [
    object(sid(512), 'DOMAIN ADMINS@LAB', { Members: [ref(1106, 'User')] }),
    object(sid(1120), 'HELPDESK@LAB', { Members: [ref(1105, 'User')] }),
  ],
  computers: [
    object(sid(1104), 'PC.LAB', {
      Sessions: { Collected: true, Results: [{ ComputerSID: sid(1104), UserSID: sid(1106) }] },
      LocalGroups: [
        {
          Collected: true,
          Name: 'ADMINISTRATORS@PC',
          ObjectIdentifier: `${sid(1104)}-544`,
          Results: [ref(1120, 'Group')],
        },
      ],
    }),
  ],
  domains: [object(DOMAIN, 'LAB')],
};

async function sync(files: Readonly<Record<string, readonly object[]>>): Promise<RunRecord> {
  for (const [type, data] of Object.entries(files)) {
    const document = { data, meta: { methods: 0, type, count: data.length, version: 6 } };
    await writeFile(join(directory, `${type}.json`), JSON.stringify(document));
  }
  let record = (await service.json(202, 'POST', '/v1/connectors/ad/run')) as object as RunRecord;
  while (record.ended_at === null)
    record = (await service.json(200, 'GET', `/v1/connectors/runs/${record.run_id}`)) as object as RunRecord;
  return record;
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-bloodhound-'));
  const text = `id: ad\nconnector: bloodhound\nconfig: { file: ${directory} }\n`;
  const options = { types: firstPartyConnectors(new NodeDisk()), environment: {} };
  service = await TestService.start({
    connectors: [readConnector(text, join(directory, 'ad.yaml'), options)],
  });
  const meta = { type: 'azure', version: 5, count: AZURE.length };
  await writeFile(join(directory, 'azurehound.json'), JSON.stringify({ data: AZURE, meta }));
  expect((await sync(FILES)).status).toBe('complete');
});
afterAll(async () => {
  await service.stop();
  await rm(directory, { recursive: true });
});

async function rowsOf(cypher: string): Promise<readonly unknown[]> {
  const reply: object = await service.json(200, 'POST', '/v1/cypher', { cypher });
  return (reply as { readonly rows: readonly unknown[] }).rows;
}

interface PathsReply {
  readonly paths: readonly {
    readonly nodes: readonly { readonly display_name: string }[];
    readonly relationships: readonly { readonly verb: string }[];
  }[];
}

/** The names and verbs along each path that a query finds. */
async function pathsOf(pql: string): Promise<readonly (readonly [string, string])[]> {
  const { paths } = (await service.query(pql)) as object as PathsReply;
  return paths.map(({ nodes, relationships }) => [
    nodes.map(({ display_name: name }) => name).join(' '),
    relationships.map(({ verb }) => verb).join(' '),
  ]);
}

describe('a collection of AzureHound in the graph', () => {
  it('has the shortest path of each user to the tenant', async () => {
    expect(
      await pathsOf(
        'FIND SHORTEST PATH FROM EACH az_user TO az_tenant VIA (AZMemberOf|AZOwns|AZRunsAs|AZGlobalAdmin) >>',
      ),
    ).toEqual([['ANN@CORP HELPDESK CORP', 'AZMemberOf AZGlobalAdmin']]);
  });
});

describe('a collection of SharpHound in the graph', () => {
  it('has a shortest path from each user to the domain administrators', async () => {
    expect(
      await pathsOf(
        "FIND SHORTEST PATH FROM EACH user TO group WITH objectid ENDS WITH '-512' VIA RELATES TO >>",
      ),
    ).toEqual([
      ['ANN@LAB HELPDESK@LAB PC.LAB BOB@LAB DOMAIN ADMINS@LAB', 'MemberOf AdminTo HasSession MemberOf'],
      ['BOB@LAB DOMAIN ADMINS@LAB', 'MemberOf'],
    ]);
  });

  it('answers questions of BloodHound in Cypher', async () => {
    const path = 'MATCH p = (t:Group)<-[:MemberOf*1..]-(a) WHERE (a:User or a:Computer)';
    const shortest = 'MATCH p = shortestPath((u:User)-[:MemberOf|AdminTo|HasSession*1..]->(g:Group))';

    expect(await rowsOf(`${path} AND t.objectid ENDS WITH '-512' RETURN p LIMIT 1000`)).toHaveLength(1);
    expect(await rowsOf(`${shortest} WHERE g.objectid ENDS WITH '-512' RETURN p`)).toHaveLength(2);
    expect(await rowsOf('MATCH (u:User) WHERE u.hasspn = true AND u.enabled = true RETURN u')).toHaveLength(
      1,
    );
    expect(await rowsOf('MATCH (n:Base) RETURN n')).toHaveLength(12);
  });

  it('loses exactly what the next collection does not have', async () => {
    const [computer] = FILES.computers;
    const second = await sync({
      ...FILES,
      computers: [{ ...computer, Sessions: { Collected: true, Results: [] } }],
    });

    expect(second).toMatchObject({
      status: 'complete',
      sync: { entities_deleted: 0, relationships_deleted: 1, relationships_created: 0 },
    });
    expect(await rowsOf('MATCH ()-[r:HasSession]->() RETURN r')).toHaveLength(0);
  });
});
