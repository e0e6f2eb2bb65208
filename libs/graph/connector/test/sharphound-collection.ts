/** A small collection as SharpHound writes it: every kind of statement once. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeDisk } from '#platform/disk';
import { bloodhoundConnector } from '../src/connectors/bloodhound/bloodhound-connector.ts';
import { runConnector, type TestRun } from '../src/kit/run-connector.ts';

export const DOMAIN = 'S-1-5-21-1-2-3';
export const sid = (rid: number): string => `${DOMAIN}-${rid}`;
export const ref = (id: string, type: string) => ({ ObjectIdentifier: id, ObjectType: type });
export const ace = (id: string, right: string, more: object = {}) => ({
  PrincipalSID: id,
  PrincipalType: 'Group',
  RightName: right,
  IsInherited: false,
  ...more,
});
export const collected = (...results: readonly object[]) => ({ Collected: true, Results: results });
export const object = (id: string, name: string, more: object = {}) => ({
  ObjectIdentifier: id,
  Properties: { name, domainsid: DOMAIN, description: null },
  Aces: [],
  ...more,
});

export const FILES: Readonly<Record<string, readonly object[]>> = {
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

export const documentOf = (type: string, data: readonly (object | string)[], version = 6): string =>
  JSON.stringify({ data, meta: { methods: 0, type, count: data.length, version } });
export const DOCUMENTS = Object.entries(FILES).map(
  ([type, data]) => [`20260101_${type}.json`, documentOf(type, data)] as const,
);

/** Ids of the collection without the domain. */
export const short = (id: string): string => id.replace(`${DOMAIN}-`, '').replace(DOMAIN, 'DOMAIN');
export const linksOf = ({ relationships }: TestRun): readonly string[] =>
  relationships.map(({ from, verb, to }) => `${short(from.key)} ${verb} ${short(to.key)}`).sort();

/** A directory of files that a test writes and reads. */
export class CollectionDirectory {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async open(): Promise<CollectionDirectory> {
    return new CollectionDirectory(await mkdtemp(join(tmpdir(), 'plexus-bloodhound-')));
  }

  close(): Promise<void> {
    return rm(this.path, { recursive: true });
  }

  write(name: string, content: string | Buffer): Promise<void> {
    return writeFile(join(this.path, name), content);
  }

  /** Reads a file of it, or all of it. */
  run(name = ''): Promise<TestRun> {
    const config = { file: join(this.path, name) };
    return runConnector(bloodhoundConnector(new NodeDisk()), { config });
  }

  async read(type: string, data: readonly object[], version = 6): Promise<TestRun> {
    await this.write('one.json', documentOf(type, data, version));
    return this.run('one.json');
  }
}
