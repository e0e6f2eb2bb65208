/** The first question about a domain that is read over LDAP with its rights, without a collector. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
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

let server: ScriptedLdapServer;
let service: TestService;

beforeAll(async () => {
  server = await ScriptedLdapServer.start({ searches: answerTo });
  const config = `{ url: "${server.url}", base_dn: "${BASE}", rights: true }`;
  const options = { types: firstPartyConnectors(new NodeDisk()), environment: {} };
  const connector = readConnector(`id: corp\nconnector: ldap\nconfig: ${config}\n`, '/corp.yaml', options);
  service = await TestService.start({ connectors: [connector] });
});
afterAll(async () => {
  await service.stop();
  await server.stop();
});

it('the shortest path of each user to the administrators leads over a right', async () => {
  let record = (await service.json(202, 'POST', '/v1/connectors/corp/run')) as object as RunRecord;
  while (record.ended_at === null)
    record = (await service.json(200, 'GET', `/v1/connectors/runs/${record.run_id}`)) as object as RunRecord;
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
