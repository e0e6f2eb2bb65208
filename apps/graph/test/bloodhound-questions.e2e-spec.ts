/** The public library of BloodHound's questions, over a collection in which a part of them has an answer. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstPartyConnectors, readConnector, type RunRecord } from '#graph/connector';
import { NodeDisk } from '#platform/disk';
import { describeUnless } from '#testing';
import { TestService } from './support/test-service.ts';

const DOMAIN = 'S-1-5-21-1-2-3';
const OTHER = 'S-1-5-21-7-8-9';
const sid = (rid: number): string => `${DOMAIN}-${rid}`;
const ref = (id: string, type: string) => ({ ObjectIdentifier: id, ObjectType: type });
const ace = (id: string, right: string) => ({
  PrincipalSID: id,
  PrincipalType: 'Group',
  RightName: right,
  IsInherited: false,
});
const result = (found: unknown) => ({ Collected: true, Result: found });
const results = (...found: readonly object[]) => ({ Collected: true, Results: found });
const object = (id: string, name: string, properties: object, more: object = {}) => ({
  ObjectIdentifier: id,
  Properties: { name, domainsid: DOMAIN, enabled: true, ...properties },
  Aces: [],
  ...more,
});

const FILES: Readonly<Record<string, readonly object[]>> = {
  users: [
    object(sid(1105), 'ANN@LAB', { dontreqpreauth: true, pwdneverexpires: true }, { PrimaryGroupSID: sid(1120), HasSIDHistory: [ref(sid(1106), 'User')] }),
    object(sid(1106), 'BOB@LAB', { hasspn: true }, { PrimaryGroupSID: sid(513) }),
    object(sid(501), 'GUEST@LAB', {}),
  ],
  groups: [
    object(sid(512), 'DOMAIN ADMINS@LAB', {}, { Members: [ref(sid(1106), 'User')] }),
    object(sid(513), 'DOMAIN USERS@LAB', {}),
    object(sid(518), 'SCHEMA ADMINS@LAB', {}, { Members: [ref(sid(1105), 'User')] }),
    object(sid(1120), 'HELPDESK@LAB', {}),
  ],
  computers: [
    object(sid(1104), 'PC.LAB', { operatingsystem: 'Windows 7 Professional', unconstraineddelegation: true, haslaps: true }, {
      Aces: [ace(sid(513), 'ReadLAPSPassword')],
      LocalGroups: [
        { ...results(ref(sid(513), 'Group')), Name: 'ADMINISTRATORS@PC', ObjectIdentifier: `${sid(1104)}-544` },
        { ...results(ref(sid(513), 'Group')), Name: 'REMOTE DESKTOP USERS@PC', ObjectIdentifier: `${sid(1104)}-555` },
      ],
      Sessions: results({ ComputerSID: sid(1104), UserSID: sid(1106) }),
      IsWebClientRunning: result(true), SmbInfo: result({ SigningEnabled: false }),
      NTLMRegistryData: result({ RestrictSendingNtlmTraffic: 2 }),
    }),
    object(sid(1001), 'DC.LAB', { ldapenabled: true, ldapsigning: false }, {
      IsDC: true, DomainSID: DOMAIN,
      DCRegistryData: { CertificateMappingMethods: { Collected: true, Value: 4 } },
    }),
  ],
  domains: [
    object(DOMAIN, 'LAB', { machineaccountquota: '10', minpwdlength: 7, functionallevel: '2008' }, {
      ChildObjects: [ref('OU-1', 'OU')],
      Aces: [ace(sid(1120), 'GetChanges'), ace(sid(1120), 'GetChangesAll')],
      Trusts: [{ TargetDomainSid: OTHER, TargetDomainName: 'FAR', TrustDirection: 'Outbound', TrustType: 'External', SidFilteringEnabled: false }],
    }),
  ],
  ous: [object('OU-1', 'STAFF@LAB', {}, { Aces: [ace(sid(513), 'GenericAll')] })],
  certtemplates: [object('T-1', 'USER@LAB', {}, { Aces: [ace(sid(513), 'Enroll')] })],
  enterprisecas: [
    object('CA-1', 'CA@LAB', {}, {
      EnabledCertTemplates: [ref('T-1', 'CertTemplate')], Aces: [ace(sid(1120), 'ManageCA')],
      CARegistryData: { IsUserSpecifiesSanEnabled: { Collected: true, Value: true } },
      HttpEnrollmentEndpoints: [result({ Url: 'http://ca', ADCSWebEnrollmentHTTP: true })],
    }),
  ],
}; // prettier-ignore

const ROLE = '62e90394-69f5-4237-9190-012177145e10';
const AZURE = [
  ['AZTenant', { tenantId: 't1', displayName: 'corp' }],
  ['AZUser', { id: 'u1', userPrincipalName: 'bob@corp', tenantId: 't1', onPremisesSyncEnabled: true, onPremisesSecurityIdentifier: sid(1106) }],
  ['AZGroup', { id: 'g1', displayName: 'Helpdesk', tenantId: 't1' }],
  ['AZGroupMember', { groupId: 'g1', members: [{ member: { id: 'u1', '@odata.type': '#microsoft.graph.user' } }] }],
  ['AZApp', { appId: 'a1', displayName: 'Shop', tenantId: 't1' }],
  ['AZAppOwner', { appId: 'a1', owners: [{ owner: { id: 'u1', '@odata.type': '#microsoft.graph.user' } }] }],
  ['AZRole', { id: ROLE, displayName: 'Global Administrator', tenantId: 't1' }],
  ['AZRoleAssignment', { roleDefinitionId: ROLE, tenantId: 't1', roleAssignments: [{ principalId: 'u1', roleDefinitionId: ROLE, directoryScopeId: '/' }] }],
  ['AZRoleEligibilityScheduleInstance', { roleDefinitionId: ROLE, principalId: 'g1', tenantId: 't1' }],
  ['AZSubscription', { id: '/subscriptions/s1', displayName: 'Prod', tenantId: 't1' }],
  ['AZSubscriptionOwner', { subscriptionId: '/subscriptions/s1', owners: [{ owner: { properties: { principalId: 'u1', scope: '/subscriptions/s1' } } }] }],
  ['AZResourceGroup', { id: '/subscriptions/s1/rg', name: 'rg', subscriptionId: '/subscriptions/s1', tenantId: 't1' }],
  ['AZVM', { id: '/subscriptions/s1/rg/vm', name: 'vm', resourceGroupId: '/subscriptions/s1/rg', tenantId: 't1', identity: { principalId: 'p1' } }],
].map(([kind, data]) => ({ kind, data })); // prettier-ignore

/** Others ask for tags that an analysis sets, for BloodHound's macros of verbs, or for what is not here. */
const EXPECTED: readonly string[] = [
  'AS-REP Roastable users (DontReqPreAuth)',
  'Accounts with SID History',
  'Accounts with SID History to a same-domain account',
  'AdminSDHolder protected Accounts and Groups',
  'All Azure VMs with a tied Managed Identity',
  'All Domain Admins',
  'All Global Administrators',
  'All Kerberoastable users',
  'All Schema Admins',
  'All members of high privileged roles',
  'CA Administrators and CA Managers (ESC7)',
  'CA administrators and CA managers',
  'Computers not requiring inbound SMB signing',
  'Computers where Domain Users are local administrators',
  'Computers where Domain Users can read LAPS passwords',
  'Computers with the WebClient running',
  'Computers with the outgoing NTLM setting set to Deny all',
  'Computers with unsupported operating systems',
  'Cross-forest trusts with abusable configuration',
  'DCs vulnerable to NTLM relay to LDAP attacks',
  'Domain Admins logons to non-Domain Controllers',
  'Domain controllers with UPN certificate mapping enabled',
  'Domains where any user can join a computer to the domain',
  'Domains with a minimum default password policy length less than 15 characters',
  'Domains with functional level not the latest version',
  'Domains without Microsoft LAPS computers',
  'Domains without Protected Users group',
  'ESC8-vulnerable Enterprise CAs',
  'Enabled built-in guest user accounts',
  'Enrollment rights on certificate templates published to Enterprise CA with User Specified SAN enabled (ESC6)',
  'Enrollment rights on certificate templates published to Enterprise CA with vulnerable HTTP(S) endpoint (ESC8)',
  'Enrollment rights on published certificate templates',
  'Entra Users synced from On-Prem Users added to Domain Admins group',
  'Entra Users with Entra Admin Roles group delegated eligibility',
  'Kerberos-enabled service account member of built-in Admins groups',
  'Large default groups with outbound control',
  'Large default groups with outbound control of OUs',
  'Map Azure Management structure',
  'Map OU structure',
  'Map domain trusts',
  'Non-Tier Zero account with unconstrained delegation',
  'On-Prem Users synced to Entra Users that Own Entra Objects',
  'On-Prem Users synced to Entra Users with Azure RM Roles (direct)',
  'On-Prem Users synced to Entra Users with Entra Admin Roles (direct)',
  'On-Prem Users synced to Entra Users with Entra Group Membership',
  'Owners of Azure Subscriptions',
  'Principals with DCSync privileges',
  'Synced Entra Users with Entra Admin Roles group delegated eligibility',
  'Users with non-default Primary Group membership',
  'Users with non-expiring passwords',
  'Workstations where Domain Users can RDP',
];

const QUESTIONS = join(process.env['PLEXUS_TEST_DATA'] ?? '/nonexistent', 'cypher', 'bloodhound.jsonl');
const withoutQuestions = existsSync(QUESTIONS)
  ? undefined
  : 'PLEXUS_TEST_DATA has no cypher/bloodhound.jsonl';

describeUnless(withoutQuestions)('the public library of questions', () => {
  let directory: string;
  let service: TestService;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-questions-'));
    const write = (name: string, data: readonly object[], meta: object): Promise<void> =>
      writeFile(
        join(directory, `${name}.json`),
        JSON.stringify({ data, meta: { ...meta, count: data.length } }),
      );
    for (const [type, data] of Object.entries(FILES)) await write(type, data, { type, version: 6 });
    await write('azurehound', AZURE, { type: 'azure', version: 5 });
    const text = `id: ad\nconnector: bloodhound\nconfig: { file: ${directory} }\n`;
    const options = { types: firstPartyConnectors(new NodeDisk()), environment: {} };
    const connectors = [readConnector(text, join(directory, 'ad.yaml'), options)];
    service = await TestService.start({ connectors });
    let record = (await service.json(202, 'POST', '/v1/connectors/ad/run')) as object as RunRecord;
    while (record.ended_at === null)
      record = (await service.json(
        200,
        'GET',
        `/v1/connectors/runs/${record.run_id}`,
      )) as object as RunRecord;
    expect(record.status).toBe('complete');
  });
  afterAll(async () => {
    await service.stop();
    await rm(directory, { recursive: true });
  });

  it('answers every one that is Cypher, and finds what the collection has', async () => {
    const found = new Set<string>();
    const refused: string[] = [];
    for (const line of readFileSync(QUESTIONS, 'utf8').trim().split('\n')) {
      const { name, cypher } = JSON.parse(line) as { readonly name: string; readonly cypher: string };
      const { status, text } = await service.call('POST', '/v1/cypher', { cypher });
      if (status !== 200) refused.push(name);
      else if ((JSON.parse(text) as { rows: readonly unknown[] }).rows.length > 0) found.add(name);
    }

    // It filters by a variable that it does not define.
    expect(refused).toEqual(['Shortest Paths from Owned Azure Users to Azure Keyvaults']);
    expect([...found].sort()).toEqual(EXPECTED);
  });
});
