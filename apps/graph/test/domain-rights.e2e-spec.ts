/**
 * The first question about a domain that is read over LDAP with its rights, without a collector; and with a
 * collection of the same domain, whose accounts the mappings of its page join.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstPartyConnectors, readConnector, type RunRecord } from '#graph/connector';
import {
  ANN_SID,
  descriptorBytes,
  guidBytes,
  type LdapAnswer,
  ldapEntry,
  ldapPageEnd,
  type LdapReply,
  ScriptedLdapServer,
  sidBytes,
} from '#graph/testing';
import { NodeDisk } from '#platform/disk';
import { TestService } from './support/test-service.ts';

const GUIDE = new URL('../../../docs/connectors.md', import.meta.url);
const BASE = 'DC=corp,DC=example';
const DOMAIN = 'S-1-5-21-1-2-3';
const FORCE_CHANGE_PASSWORD = '00299570-246d-11d0-a768-00aa006e0529';

/** Ann may set the password of Bob, who administers the domain. */
const ENTRIES: Readonly<Record<string, readonly [string, number]>> = {
  user: ['Ann', 1105],
  victim: ['Bob', 1106],
  group: ['Domain Admins', 512],
};
const rights = descriptorBytes(
  [{ mask: 0x100, objectType: FORCE_CHANGE_PASSWORD, sid: ANN_SID }],
  `${DOMAIN}-512`,
);

function entry(which: string, more: Readonly<Record<string, readonly (Buffer | string)[]>> = {}): LdapReply {
  const [name, rid] = ENTRIES[which] ?? ['', 0];
  return ldapEntry(`CN=${name},${BASE}`, {
    cn: [name],
    sAMAccountName: [name],
    objectGUID: [guidBytes(`00112233-4455-6677-8899-${String(rid).padStart(12, '0')}`)],
    objectSid: [sidBytes(`${DOMAIN}-${rid}`)],
    ...more,
  });
}

function answerTo(request: string): LdapAnswer {
  const end = ldapPageEnd();
  if (request.includes('nTSecurityDescriptor'))
    return [
      ...Object.keys(ENTRIES).map((which) =>
        entry(which, {
          nTSecurityDescriptor: [which === 'victim' ? rights : descriptorBytes([], `${DOMAIN}-512`)],
        }),
      ),
      end,
    ];
  if (request.includes('schemaNamingContext')) return [end];
  if (request.includes('dNSHostName'))
    return [
      ldapEntry(BASE, { objectClass: ['domainDNS'], name: ['corp'], objectSid: [sidBytes(DOMAIN)] }),
      end,
    ];
  if (request.includes('primaryGroupID')) return [entry('user'), entry('victim'), end];
  return [entry('group', { member: [`CN=Bob,${BASE}`] }), end];
}

/** Eve administers a computer where Ann has a session: only a collector sees that. */
const sid = (rid: number): string => `${DOMAIN}-${rid}`;
const collectedObject = (rid: number, name: string, more: object = {}) => ({
  ObjectIdentifier: sid(rid),
  Properties: { name, domainsid: DOMAIN },
  Aces: [],
  ...more,
});
const COLLECTION = {
  users: [collectedObject(1105, 'ANN@CORP.EXAMPLE'), collectedObject(1109, 'EVE@CORP.EXAMPLE')],
  computers: [
    collectedObject(1104, 'PC.CORP.EXAMPLE', {
      Sessions: { Collected: true, Results: [{ ComputerSID: sid(1104), UserSID: ANN_SID }] },
      LocalGroups: [
        {
          ObjectIdentifier: `${sid(1104)}-544`,
          Name: 'ADMINISTRATORS@PC.CORP.EXAMPLE',
          Collected: true,
          Results: [{ ObjectIdentifier: sid(1109), ObjectType: 'User' }],
        },
      ],
    }),
  ],
};

/** The first configuration in a section of the guide. */
async function configurationOf(section: string): Promise<string> {
  const [, text = ''] = (await readFile(GUIDE, 'utf8')).split(`### ${section}\n`);
  return /```yaml\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
}

async function run(id: string): Promise<RunRecord> {
  let record = (await service.json(202, 'POST', `/v1/connectors/${id}/run`)) as object as RunRecord;
  while (record.ended_at === null)
    record = (await service.json(200, 'GET', `/v1/connectors/runs/${record.run_id}`)) as object as RunRecord;
  return record;
}

let directory: string;
let server: ScriptedLdapServer;
let service: TestService;

beforeAll(async () => {
  server = await ScriptedLdapServer.start({ searches: answerTo });
  const config = `{ url: "${server.url}", base_dn: "${BASE}", rights: true }`;
  const options = { types: firstPartyConnectors(new NodeDisk()), environment: {} };
  const corp = readConnector(`id: corp\nconnector: ldap\nconfig: ${config}\n`, '/corp.yaml', options);
  directory = await mkdtemp(join(tmpdir(), 'plexus-domain-'));
  for (const [type, data] of Object.entries(COLLECTION))
    await writeFile(
      join(directory, `${type}.json`),
      JSON.stringify({ data, meta: { methods: 0, type, count: data.length, version: 6 } }),
    );
  const written = (await configurationOf('BloodHound')).replace('20260101_BloodHound.zip', '.');
  const collected = readConnector(`id: collected\n${written}`, join(directory, 'collected.yaml'), options);
  service = await TestService.start({ connectors: [corp, collected] });
});
afterAll(async () => {
  await service.stop();
  await server.stop();
  await rm(directory, { recursive: true });
});

it('the shortest path of each user to the administrators leads over a right', async () => {
  const record = await run('corp');
  const { paths } = (await service.query(
    "FIND SHORTEST PATH FROM EACH user TO group WITH objectid ENDS WITH '-512' VIA RELATES TO >>",
  )) as object as {
    readonly paths: readonly {
      readonly nodes: readonly { readonly display_name: string }[];
      readonly relationships: readonly { readonly verb: string }[];
    }[];
  };

  expect(record.status).toBe('complete');
  expect(paths.map(({ nodes }) => nodes.map(({ display_name: name }) => name).join(' ')).sort()).toEqual([
    'Ann Bob Domain Admins',
    'Bob Domain Admins',
  ]);
  expect(paths.flatMap(({ relationships }) => relationships.map(({ verb }) => verb))).toContain(
    'ForceChangePassword',
  );
});

it('a collection of the same domain leads into the directory, by security identifiers', async () => {
  await run('corp');
  const record = await run('collected');
  const answer = await service.query(
    "FIND SHORTEST PATH FROM user WITH name = 'EVE@CORP.EXAMPLE' TO group WITH objectid ENDS WITH '-512' VIA RELATES TO >>",
  );

  expect([record.status, record.mapped]).toEqual(['complete', 1]);
  const [path] = answer['paths'] as readonly {
    readonly nodes?: readonly { readonly display_name: string }[];
  }[];
  expect(path?.nodes?.map(({ display_name: name }) => name)).toEqual([
    'EVE@CORP.EXAMPLE',
    'PC.CORP.EXAMPLE',
    'ANN@CORP.EXAMPLE',
    'Ann',
    'Bob',
    'Domain Admins',
  ]);
});
