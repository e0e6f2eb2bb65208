import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestRun } from '../../kit/run-connector.ts';
import {
  ace,
  CollectionDirectory,
  collected,
  documentOf,
  linksOf,
  object,
  ref,
  short,
  sid,
} from '../../../test/sharphound-collection.ts';

let directory: CollectionDirectory;

beforeAll(async () => {
  directory = await CollectionDirectory.open();
});
afterAll(() => directory.close());

describe('an object of SharpHound', () => {
  async function readOne(type: string, more: object): Promise<TestRun> {
    const found = await directory.read(type, [object(sid(1), 'ONE', more)]);
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
      '1-513 MemberOf ONE-S-1-5-11',
      '1-515 MemberOf ONE-S-1-5-11',
      '7-555 LocalToComputer 7',
      '8 CanRDP 7',
      '8 MemberOfLocalGroup 7-555',
      'ONE-S-1-5-11 MemberOf ONE-S-1-1-0',
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
    await directory.write('offline.json', documentOf('computers', computers));

    const found = await directory.run('offline.json');

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

  it('passes on the rights of what contains it, unless it is protected or starts a partition', async () => {
    const ContainedBy = ref('OU-1', 'Container');
    const within = async (more: object): Promise<readonly string[]> =>
      linksOf(await readOne('containers', { ContainedBy, ...more }));

    expect(await within({})).toEqual(['OU-1 Contains 1', 'OU-1 PropagatesACEsTo 1']);
    expect(await within({ IsACLProtected: true })).toEqual(['OU-1 Contains 1']);
    const Properties = { distinguishedname: 'CN=Configuration,DC=lab' };
    expect(await within({ Properties })).toEqual(['OU-1 Contains 1']);
  });

  it('has no local groups without members, but those for which it was collected', async () => {
    const group = (id: string, Name: string) => ({
      ...collected(),
      ObjectIdentifier: `${sid(1)}-${id}`,
      Name,
    });
    const LocalGroups = [group('547', 'POWER USERS@ONE'), group('1000', 'Direct Access Users@ONE')];

    const found = await readOne('computers', { LocalGroups });

    expect(linksOf(found)).toEqual(['1-1000 LocalToComputer 1']);
  });

  it('has the attributes of a trust at each end, and where a right is inherited from', async () => {
    const { relationships } = await readOne('domains', {
      Aces: [ace(sid(2), 'GenericAll', { IsInherited: true, InheritanceHash: 'abc' })],
      Trusts: [
        {
          TargetDomainSid: 'S-2',
          TrustType: 'Forest',
          TrustDirection: 'Bidirectional',
          TrustAttributes: '8',
        },
      ],
    });
    const propertiesOf = (verb: string, from: string) =>
      relationships.find((each) => each.verb === verb && each.from.key === from)?.properties;

    expect(propertiesOf('CrossForestTrust', 'S-2')).toMatchObject({ trustattributesinbound: 8 });
    expect(propertiesOf('CrossForestTrust', sid(1))).toMatchObject({ trustattributesoutbound: 8 });
    expect(propertiesOf('GenericAll', sid(2))).toMatchObject({ isinherited: true, inheritancehash: 'abc' });
  });
});
