import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestZipMember, writeTestZip } from '#graph/testing';
import { NodeDisk } from '#platform/disk';
import { runConnector, type TestRun } from '../../kit/run-connector.ts';
import { bloodhoundConnector } from './bloodhound-connector.ts';

const DOMAIN = 'S-1-5-21-1-2-3';
const sid = (rid: number): string => `${DOMAIN}-${rid}`;
const ref = (id: string, type: string) => ({ ObjectIdentifier: id, ObjectType: type });
const ace = (id: string, right: string, more: object = {}) => ({
  PrincipalSID: id,
  PrincipalType: 'Group',
  RightName: right,
  IsInherited: false,
  ...more,
});
const collected = (...results: readonly object[]) => ({ Collected: true, Results: results });
const object = (id: string, name: string, more: object = {}) => ({
  ObjectIdentifier: id,
  Properties: { name, domainsid: DOMAIN, description: null },
  Aces: [],
  ...more,
});

const FILES: Readonly<Record<string, readonly object[]>> = {
  users: [
    object(sid(1105).toLowerCase(), 'ANN@LAB', {
      PrimaryGroupSID: sid(513),
      SPNTargets: [{ ComputerSID: sid(1104), Port: 1433, Service: 'SQLAdmin' }],
      HasSIDHistory: [ref(sid(9), 'User')],
      Aces: [ace(sid(512), 'GenericAll', { IsInherited: true }), ace(sid(512), 'GenericAll')],
    }),
    object(sid(1106), 'GONE@LAB', { IsDeleted: true }),
  ],
  groups: [
    object(sid(512), 'DOMAIN ADMINS@LAB', { Members: [ref(sid(500), 'User'), ref(sid(520), 'Group')] }),
    object(sid(520), 'HELPDESK@LAB', { Members: [ref(sid(1105), 'User')] }),
  ],
  computers: [
    object(sid(1104), 'PC.LAB', {
      Properties: {
        name: 'pc.lab',
        operatingsystem: 'Windows 11',
        distinguishedname: 'CN=PC,DC=lab',
        domainsid: DOMAIN,
      },
      ContainedBy: ref('OU-1', 'OU'),
      AllowedToAct: [ref(sid(1105), 'User')],
      Sessions: collected(
        { ComputerSID: sid(1104), UserSID: sid(500) },
        { ComputerSID: sid(1104), UserSID: sid(500) },
      ),
      PrivilegedSessions: { Collected: false, Results: [{ ComputerSID: sid(1104), UserSID: sid(7) }] },
      LocalGroups: [
        {
          ...collected(ref(sid(520), 'Group')),
          Name: 'ADMINISTRATORS@PC.LAB',
          ObjectIdentifier: `${sid(1104)}-544`,
        },
      ],
      UserRights: [
        { ...collected(ref(sid(513), 'Group')), Privilege: 'SeRemoteInteractiveLogonRight' },
        { ...collected(ref(sid(513), 'Group')), Privilege: 'SeBackupPrivilege' },
        { ...collected(ref(sid(513), 'Group')), Privilege: 'SeShutdownPrivilege' },
      ],
    }),
    object(sid(1001), 'DC.LAB', { IsDC: true, DomainSID: DOMAIN }),
  ],
  domains: [
    object(DOMAIN, 'LAB', {
      ChildObjects: [ref('OU-1', 'OU')],
      Links: [{ GUID: 'GPO-1', IsEnforced: true }],
      Aces: [
        ace(sid(520), 'GetChanges'),
        ace(sid(520), 'GetChangesAll'),
        ace(sid(512), 'Owns'),
        ace('LAB-S-1-3-4', 'WriteDacl'),
        ace(DOMAIN, 'GenericAll'),
      ],
      Trusts: [
        {
          TargetDomainSid: 'S-1-5-21-9',
          TargetDomainName: 'OTHER',
          TrustDirection: 'Bidirectional',
          TrustType: 'External',
          IsTransitive: false,
          SidFilteringEnabled: false,
        },
      ],
    }),
  ],
  enterprisecas: [
    object('CA-1', 'CA@LAB', {
      HostingComputer: sid(1104),
      EnabledCertTemplates: [ref('TEMPLATE-1', 'CertTemplate')],
      Aces: [ace(sid(513), 'Enroll'), ace(sid(512), 'WriteOwner')],
      CARegistryData: { CASecurity: { Collected: true, Data: [ace(sid(520), 'ManageCA')] } },
    }),
  ],
  sessions: [{ ComputerSID: sid(1104), UserSID: sid(1105), LogonType: 2 }],
};

const documentOf = (type: string, data: readonly (object | string)[], version = 6): string =>
  JSON.stringify({ data, meta: { methods: 0, type, count: data.length, version } });
const DOCUMENTS = Object.entries(FILES).map(
  ([type, data]) => [`20260101_${type}.json`, documentOf(type, data)] as const,
);

const MEMBERS: readonly TestZipMember[] = DOCUMENTS.map(([name, content]) => ({ name, content }));

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-bloodhound-'));
  await mkdir(join(directory, 'files'));
  for (const [name, text] of DOCUMENTS) await writeFile(join(directory, 'files', name), text);
  await writeFile(join(directory, 'files', 'notes.txt'), 'none');
  await writeTestZip(join(directory, 'all.zip'), [...MEMBERS, { name: 'notes.txt', content: 'none' }]);
});
afterAll(() => rm(directory, { recursive: true }));

const run = (file: string): Promise<TestRun> =>
  runConnector(bloodhoundConnector(new NodeDisk()), { config: { file: join(directory, file) } });
const short = (id: string): string => id.replace(`${DOMAIN}-`, '').replace(DOMAIN, 'DOMAIN');
const linksOf = ({ relationships }: TestRun) =>
  relationships.map(({ from, verb, to }) => `${short(from.key)} ${verb} ${short(to.key)}`).sort();

describe('a collection of SharpHound', () => {
  it('has objects by their ids, and every edge under its name in BloodHound', async () => {
    const found = await run('all.zip');

    expect(found.report).toMatchObject({
      status: 'complete',
      ignored: { 'files with other names': 1, 'deleted objects': 1 },
    });
    expect(linksOf(found)).toEqual(
      [
        '1105 AllowedToAct 1104', '1105 HasSIDHistory 9', '1105 MemberOf 513', '1105 MemberOf 520', '1105 SQLAdmin 1104',
        '500 MemberOf 512', '520 MemberOf 512', '512 GenericAll 1105',
        'OU-1 Contains 1104', '1104 HasSession 1105', '1104 HasSession 500', '1104-544 LocalToComputer 1104',
        '520 MemberOfLocalGroup 1104-544', '520 AdminTo 1104', '513 RemoteInteractiveLogonRight 1104',
        '513 BackupPrivilege 1104',
        '1001 DCFor DOMAIN', 'DOMAIN Contains OU-1', 'GPO-1 GPLink DOMAIN', '520 GetChanges DOMAIN',
        '520 GetChangesAll DOMAIN', '520 DCSync DOMAIN', '512 OwnsLimitedRights DOMAIN',
        'DOMAIN CrossForestTrust S-1-5-21-9', 'S-1-5-21-9 CrossForestTrust DOMAIN', 'S-1-5-21-9 SpoofSIDHistory DOMAIN',
        '1104 HostsCAService CA-1', 'TEMPLATE-1 PublishedTo CA-1', '520 ManageCA CA-1', '512 WriteOwner CA-1',
      ].sort(), // prettier-ignore
    );
    const acl = found.relationships.find(({ verb }) => verb === 'GenericAll');
    expect(acl?.properties).toEqual({ isacl: true, isinherited: false });
    const session = found.relationships.filter(
      ({ verb, to }) => verb === 'HasSession' && to.key === sid(1105),
    );
    expect(session.map(({ properties }) => properties)).toEqual([{ isacl: false, logontype: 2 }]);
  });

  it('counts the ids of deleted objects, and says where one is none', async () => {
    await writeFile(join(directory, 'deleted.json'), documentOf('deleted', ['OU-9', sid(9)]));
    await writeFile(join(directory, 'no-ids.json'), documentOf('deleted', ['OU-9', { id: 'OU-8' }]));

    const [deleted, mixed] = [await run('deleted.json'), await run('no-ids.json')];

    expect(deleted.report).toMatchObject({ status: 'complete', ignored: { 'deleted objects': 2 } });
    expect(mixed.report).toMatchObject({
      status: 'partial',
      warnings: expect.arrayContaining([expect.stringContaining('data[1]: expected the id of an object')]),
    });
  });

  it('keeps what earlier runs knew of a computer that did not answer, not of one that was not asked', async () => {
    const failed = (reason: string | null) => ({ Collected: false, FailureReason: reason, Results: [] });
    const computers = [
      object(sid(1), 'A.LAB', {
        Sessions: failed('ErrorAccessDenied'),
        LocalGroups: [
          { ...failed('ErrorAccessDenied'), Name: 'IGNOREME', ObjectIdentifier: `${sid(1)}-544` },
        ],
        UserRights: [{ ...failed('ErrorAccessDenied'), Privilege: 'SeBackupPrivilege' }],
      }),
      object(sid(2), 'B.LAB', { Sessions: failed(null), Status: { Connectable: false, Error: 'NotActive' } }),
      object(sid(3), 'C.LAB', { Status: { Connectable: false, Error: 'PortNotOpen' } }),
    ];
    await writeFile(join(directory, 'offline.json'), documentOf('computers', computers));

    const found = await run('offline.json');

    expect(found.report.status).toBe('partial');
    expect(linksOf(found)).toEqual(['1-544 LocalToComputer 1']);
    const kept = found.partialRelationships.map(({ verb, end, key }) => `${end} ${short(key)} ${verb}`);
    expect(kept.filter((each) => !each.includes(' 3 ')).sort()).toEqual([
      'from 1 HasSession',
      'to 1 AdminTo',
      'to 1 BackupPrivilege',
      'to 1-544 MemberOfLocalGroup',
    ]);
    expect(kept.filter((each) => each.includes(' 3 '))).toHaveLength(8);
    expect(kept.filter((each) => each.includes(' 2 '))).toEqual([]);
    expect(found.report.warnings[0]).toBe(
      'collection: offline.json, data[0]: HasSession was not collected: ErrorAccessDenied',
    );
  });

  it('has types, classes and labels by which PQL and Cypher find them, also of what is only named', async () => {
    const { entities } = await run('files');
    const facts = entities.map(({ type, class: kind, labels, key, displayName }) => [
      `${type} ${kind} ${String(labels)}`,
      short(key),
      displayName,
    ]);

    expect(facts).toContainEqual(['user User Base', '1105', 'ANN@LAB']);
    expect(facts).toContainEqual(['user User Base', '500', sid(500)]);
    expect(facts).toContainEqual(['ou OU Base', 'OU-1', 'OU-1']);
    expect(facts).toContainEqual(['cert_template CertTemplate Base', 'TEMPLATE-1', 'TEMPLATE-1']);
    expect(facts).toContainEqual(['enterprise_ca EnterpriseCA Base', 'CA-1', 'CA@LAB']);
    expect(facts).toContainEqual(['local_group LocalGroup Base', '1104-544', 'ADMINISTRATORS@PC.LAB']);
    expect(facts).toContainEqual(['domain Domain Base', 'S-1-5-21-9', 'OTHER']);
    expect(entities.find(({ key }) => key === sid(1105))?.properties).toEqual({
      name: 'ANN@LAB',
      domainsid: DOMAIN,
      objectid: sid(1105),
    });
  });

  it('has what BloodHound says of an object beside its properties', async () => {
    const { entities } = await run('files');
    const factsOf = (id: string) => entities.find(({ key }) => key === id)?.properties;

    expect(factsOf(sid(1001))).toMatchObject({ isdc: true });
    expect(factsOf(DOMAIN)).toMatchObject({ collected: true, ownersid: sid(512) });
    expect(factsOf(sid(1104))).toMatchObject({
      operatingsystem: 'WINDOWS 11',
      distinguishedname: 'CN=PC,DC=LAB',
    });
  });

  async function readOne(type: string, more: object): Promise<TestRun> {
    await writeFile(join(directory, 'one.json'), documentOf(type, [object(sid(1), 'ONE', more)]));
    const found = await run('one.json');
    expect(found.report.status).toBe('complete');
    return found;
  }

  it.each([
    ['an inherited right of the owner', [ace('LAB-S-1-3-4', 'WriteDacl', { IsInherited: true })], {}, ['OwnsLimitedRights', 'WriteOwnerLimitedRights']],
    ['a right of the owner', [ace('LAB-S-1-3-4', 'WriteDacl')], {}, ['OwnsLimitedRights', 'WriteOwner']],
    ['a right of the owner beside an inherited harmless one', [ace('LAB-S-1-3-4', 'WriteDacl')], { doesanyacegrantownerrights: true, doesanyinheritedacegrantownerrights: true }, ['OwnsLimitedRights']],
    ['a harmless right of the owner', [], { doesanyacegrantownerrights: true, doesanyinheritedacegrantownerrights: false }, ['WriteOwner']],
    ['an inherited harmless right of the owner', [], { doesanyacegrantownerrights: true, doesanyinheritedacegrantownerrights: true }, []],
    ['none', [], {}, ['Owns', 'WriteOwner']],
  ])('with %s has what is left to owners', async (_, entries, properties, verbs) => {
    const Aces = [ace(sid(2), 'Owns'), ace(sid(3), 'WriteOwner'), ...entries];
    const { relationships } = await readOne('users', { Aces, Properties: properties });

    expect(relationships.map(({ from, verb }) => `${short(from.key)} ${verb}`).sort()).toEqual(
      verbs.map((verb) => (verb.startsWith('Owns') ? `2 ${verb}` : `3 ${verb}`)).sort(),
    );
    for (const { verb, properties: facts } of relationships)
      if (verb.endsWith('LimitedRights')) expect(facts).toMatchObject({ privileges: ['WriteDacl'] });
  }); // prettier-ignore

  it('has delegation over trusts, agents of enrolment, and local groups of policies', async () => {
    const trust = (id: string, TrustType: string, TrustDirection: string) => ({
      TargetDomainSid: id,
      TrustType,
      TrustDirection,
      TGTDelegationEnabled: true,
      SidFilteringEnabled: true,
    });
    const domain = await readOne('domains', {
      Trusts: [
        trust('S-2', 'Forest', 'Inbound'),
        trust('S-3', 'ParentChild', 'Inbound'),
        trust('S-4', 'Forest', 'Outbound'),
      ],
      GPOChanges: {
        AffectedComputers: [ref(sid(7), 'Computer')],
        RemoteDesktopUsers: [ref(sid(8), 'User')],
      },
    });
    const agent = (id: number, more: object) => ({
      AccessType: 'AccessAllowedCallback',
      Agent: ref(sid(id), 'User'),
      ...more,
    });
    const authority = await readOne('enterprisecas', {
      EnabledCertTemplates: [ref('T-1', 'CertTemplate'), ref('T-2', 'CertTemplate')],
      CARegistryData: {
        EnrollmentAgentRestrictions: {
          Collected: true,
          Restrictions: [
            agent(5, { AllTemplates: true }),
            agent(6, { AllTemplates: false, Template: ref('T-2', 'CertTemplate') }),
            agent(9, { AllTemplates: true, AccessType: 'AccessDeniedCallback' }),
          ],
        },
      },
    });

    expect(linksOf(domain)).toEqual([
      '1 CrossForestTrust S-4',
      '7-555 LocalToComputer 7',
      '8 CanRDP 7',
      '8 MemberOfLocalGroup 7-555',
      'S-2 AbuseTGTDelegation 1',
      'S-2 CrossForestTrust 1',
      'S-3 SameForestTrust 1',
    ]);
    expect(linksOf(authority).filter((each) => each.includes('Agent'))).toEqual([
      '5 DelegatedEnrollmentAgent T-1',
      '5 DelegatedEnrollmentAgent T-2',
      '6 DelegatedEnrollmentAgent T-2',
    ]);
  });

  const value = (Value: unknown) => ({ Collected: true, Value });
  const result = (Result: unknown) => ({ Collected: true, Result });
  const endpoint = (Url: string, open: object) => result({ Url, ...open });
  it.each([
    [
      'computers',
      {
        Properties: { ldapenabled: true, ldapsenabled: false },
        IsWebClientRunning: result(true),
        SmbInfo: result({ SigningEnabled: false }),
        NTLMRegistryData: result({
          RestrictSendingNtlmTraffic: 2,
          UseMachineId: null,
          LmCompatibilityLevel: 3,
        }),
        DCRegistryData: {
          CertificateMappingMethods: value(31),
          StrongCertificateBindingEnforcement: value(0),
        },
      },
      {
        ldapavailable: true,
        ldapsavailable: false,
        webclientrunning: true,
        smbsigning: false,
        restrictoutboundntlm: true,
        lmcompatibilitylevel: 3,
        certificatemappingmethodsraw: 31,
        strongcertificatebindingenforcementraw: 0,
      },
    ],
    ['computers', { Properties: {}, SmbInfo: { Collected: false, Result: { SigningEnabled: false } } }, {}],
    [
      'enterprisecas',
      {
        Properties: {},
        CARegistryData: { IsUserSpecifiesSanEnabled: value(true), RoleSeparationEnabled: value(false) },
        HttpEnrollmentEndpoints: [
          endpoint('http://a', { ADCSWebEnrollmentHTTP: true }),
          endpoint('https://b', { ADCSWebEnrollmentHTTPS: true, ADCSWebEnrollmentEPA: true }),
        ],
      },
      {
        hasvulnerableendpoint: true,
        httpenrollmentendpoints: ['http://a'],
        isuserspecifiessanenabled: true,
        roleseparationenabled: false,
      },
    ],
    [
      'enterprisecas',
      { Properties: {}, HttpEnrollmentEndpoints: [endpoint('https://b', { ADCSWebEnrollmentHTTPS: false })] },
      { hasvulnerableendpoint: false },
    ],
    ['enterprisecas', { Properties: {}, HttpEnrollmentEndpoints: [{ Collected: false, Result: null }] }, {}],
    [
      'domains',
      { Properties: { machineaccountquota: '10', expirepasswordsonsmartcardonlyaccounts: 'True' } },
      { machineaccountquota: 10, expirepasswordsonsmartcardonlyaccounts: true, collected: true },
    ],
  ])('of %s has what the questions of BloodHound ask for (%#)', async (type, more, facts) => {
    const { entities } = await readOne(type, more);

    expect(entities.find(({ key }) => key === sid(1))?.properties).toEqual({ ...facts, objectid: sid(1) });
  });

  it('has the names of the accounts of a computer, and says which group is the primary one', async () => {
    const local = `${sid(1)}-1001`;
    const { entities, relationships } = await readOne('computers', {
      PrimaryGroupSID: sid(515),
      LocalGroups: [
        {
          ...collected(ref(local, 'Base')),
          ObjectIdentifier: `${sid(1)}-544`,
          LocalNames: [{ ObjectIdentifier: local, PrincipalName: 'ADMIN@ONE' }],
        },
      ],
    });
    const groups = await readOne('groups', { Members: [ref(sid(2), 'User')] });
    const isPrimary = (run: TestRun['relationships']) =>
      run.filter(({ verb }) => verb === 'MemberOf').map(({ properties }) => properties['isprimarygroup']);

    expect(entities.find(({ key }) => key === local)?.displayName).toBe('ADMIN@ONE');
    expect([isPrimary(relationships), isPrimary(groups.relationships)]).toEqual([[true], [false]]);
  });

  it('is the same in a zip and in files', async () => {
    const [zip, files] = [await run('all.zip'), await run('files')];

    expect(linksOf(zip)).toEqual(linksOf(files));
    expect(new Set(zip.entities)).toEqual(new Set(files.entities));
  });

  it('of version 5 has local rights as lists', async () => {
    const computers = [object(sid(1), 'PC', { LocalAdmins: collected(ref(sid(2), 'User')) })];
    await writeFile(join(directory, 'v5.json'), documentOf('computers', computers, 5));

    expect(linksOf(await run('v5.json'))).toEqual(['2 AdminTo 1']);
  });

  const users = documentOf('users', FILES['users'] ?? []);
  const bomb = Buffer.alloc(40_000_000, 0x20);
  it.each([
    ['cut', users.slice(0, 200), 'expected a JSON document, got one that ends at byte 200'],
    [
      'cut by its tool',
      users.replace('"count":2', '"count":3'),
      'meta.count: expected 3 objects, got 2: the file is cut',
    ],
    [
      'without a description',
      '{"data": []}',
      'expected a file of SharpHound, AzureHound or OpenGraph, got a document',
    ],
    [
      'of another tool',
      documentOf('hosts', []),
      'meta.type: expected azure or a type of SharpHound, got hosts',
    ],
    ['in UTF-16', Buffer.from(`\ufeff${users}`, 'utf16le'), 'expected a JSON document, got text in UTF-16'],
    ['of another version', documentOf('users', [], 4), 'meta.version: expected 5 or 6, got 4'],
    [
      'with a broken object',
      '{"data": [{"a": tru}], "meta": {"type": "users", "version": 6}}',
      'expected JSON in data[0]',
    ],
    ['of a larger size', bomb, 'expected at most 250 times the size in the zip'],
  ])('in a zip with a member that is %s fails with its name', async (_, text, reason) => {
    const members = [...MEMBERS.slice(0, 1), { name: 'deep/bad.json', content: text }];
    await writeTestZip(join(directory, 'bad.zip'), members);

    const { report } = await run('bad.zip');

    expect(report).toMatchObject({ status: 'failed', entities: 0 });
    expect(report.steps[0]?.reason).toContain(`bad.zip/deep/bad.json: ${reason}`);
  });

  it.each([
    ['damaged', { sum: 7 }, 'expected a whole member, got one that is damaged'],
    ['shorter than it says', { size: users.length + 1 }, 'expected a whole member, got'],
    ['longer than it says', { size: 10 }, 'expected a whole member, got'],
    ['encrypted', { isEncrypted: true }, 'expected a readable member, got an encrypted one'],
  ])('in a zip with a member that is %s fails with its name', async (_, damage, reason) => {
    await writeTestZip(join(directory, 'bad.zip'), [{ name: 'users.json', content: users, ...damage }]);

    const { report } = await run('bad.zip');

    expect(report.status).toBe('failed');
    expect(report.steps[0]?.reason).toContain(`bad.zip/users.json: ${reason}`);
  });

  it('in a zip that is cut fails with the name of the zip', async () => {
    await writeTestZip(join(directory, 'bad.zip'), MEMBERS);
    await truncate(join(directory, 'bad.zip'), 500);

    const { report } = await run('bad.zip');

    expect(report.steps[0]?.reason).toContain('bad.zip: expected a zip, got');
  });

  it('is the same in a zip with fields of 64 bits', async () => {
    await writeTestZip(
      join(directory, 'large.zip'),
      [...MEMBERS, { name: 'notes.txt', content: 'none' }],
      true,
    );

    expect(linksOf(await run('large.zip'))).toEqual(linksOf(await run('all.zip')));
  });

  it.each<[string, readonly TestZipMember[], string]>([
    [
      'with names that lead out of it',
      [{ name: '../../etc/users.json', content: users }],
      'expected a zip, got invalid relative path: ../../etc/users.json',
    ],
    [
      'with an absolute name',
      [{ name: '/etc/users.json', content: users }],
      'expected a zip, got absolute path',
    ],
    [
      'without a document',
      [{ name: 'inner.zip', content: 'PK' }],
      'expected files of a collector (.json), got none',
    ],
    [
      'with a name twice',
      [
        { name: 'users.json', content: users },
        { name: 'users.json', content: users },
      ],
      'expected members of different names, got users.json twice',
    ],
    [
      'whose members share their bytes',
      [
        { name: '0.json', content: users },
        ...Array.from({ length: 99 }, (_, at) => ({
          name: `${at + 1}.json`,
          content: '',
          isOverlapping: true,
        })),
      ],
      'expected members beside each other, got ',
    ],
  ])('in a zip %s fails with the name of the zip', async (_, members, reason) => {
    await writeTestZip(join(directory, 'bad.zip'), members);

    const { report } = await run('bad.zip');

    expect(report).toMatchObject({ status: 'failed', entities: 0 });
    expect(report.steps[0]?.reason).toContain(`bad.zip: ${reason}`);
  });
});
