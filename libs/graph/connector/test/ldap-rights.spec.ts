import { afterEach, describe, expect, it } from '@jest/globals';
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
import { ldapConnector } from '../src/connectors/ldap/ldap-connector.ts';
import { runConnector, type TestRun } from '../src/kit/run-connector.ts';

const BASE = 'DC=corp,DC=example';
const DOMAIN = 'S-1-5-21-1-2-3';
const guid = (last: number): string =>
  `00112233-4455-6677-8899-aabbccddee${last.toString(16).padStart(2, '0')}`;
const LAPS = '11111111-2222-3333-4444-555555555555';

type Attributes = Readonly<Record<string, readonly (Buffer | string)[]>>;

/** What is said beside the access lists. */
interface Planted {
  readonly ofAnn?: Attributes;
  readonly ofComputer?: Attributes;
  readonly trusts?: readonly LdapReply[];
}

/** A trust of the domain with another one. */
function trust(name: string, domain: string, more: Readonly<Record<string, string>>): LdapReply {
  const texts = Object.entries({ trustPartner: name, trustType: '2', ...more });
  return ldapEntry(`CN=${name},CN=System,${BASE}`, {
    ...Object.fromEntries(texts.map(([attribute, text]) => [attribute, [text]])),
    ...(domain !== '' && { securityIdentifier: [sidBytes(domain)] }),
  });
}

/** An entry with what identifies it, and more. */
function entry(name: string, last: number, rid: number | undefined, more: Attributes): LdapReply {
  return ldapEntry(`CN=${name},${BASE}`, {
    cn: [name],
    name: [name],
    objectGUID: [guidBytes(guid(last))],
    ...(rid !== undefined && { objectSid: [sidBytes(`${DOMAIN}-${rid}`)] }),
    ...more,
  });
}

const everything = [
  { mask: 0xf01ff },
  { mask: 0xc0000, sid: 'S-1-5-11' },
  { mask: 0x20, sid: 'S-1-5-21-9-9-9-500' },
];
const DESCRIPTOR = descriptorBytes(everything, `${DOMAIN}-512`);

describe('the rights of a domain over LDAP', () => {
  const servers: ScriptedLdapServer[] = [];
  afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));

  /** Ann, the group of administrators and a computer; their access lists are answered apart. */
  async function read(
    lists: readonly (readonly [string, number, number, Attributes])[],
    { ofAnn = {}, ofComputer = {}, trusts = [] }: Planted = {},
  ): Promise<TestRun> {
    const ann = entry('Ann', 1, 1105, { sAMAccountName: ['Ann'], ...ofAnn });
    const admins = entry('Domain Admins', 2, 512, {
      objectClass: ['group'],
      member: [`CN=Ann,${BASE}`, `CN=PC,${BASE}`],
    });
    const computer = entry('PC', 3, 1104, {
      objectClass: ['user', 'computer'],
      userAccountControl: ['4096'],
      sAMAccountName: ['PC$'],
      ...ofComputer,
    });
    const root = ldapEntry(BASE, {
      objectClass: ['domainDNS'],
      name: ['corp'],
      objectGUID: [guidBytes(guid(4))],
      objectSid: [sidBytes(DOMAIN)],
    });
    const searches = (request: string): LdapAnswer => {
      if (request.includes('trustPartner')) return [...trusts, ldapPageEnd()];
      if (request.includes('nTSecurityDescriptor'))
        return [...lists.map((each) => entry(...each)), ldapPageEnd()];
      if (request.includes('lDAPDisplayName'))
        return [ldapEntry('CN=x', { schemaIDGUID: [guidBytes(LAPS)] }), ldapPageEnd()];
      if (request.includes('schemaNamingContext'))
        return [ldapEntry('', { schemaNamingContext: ['CN=Schema'] }), ldapPageEnd()];
      if (request.includes('dNSHostName')) return [computer, root, ldapPageEnd()];
      return [request.includes('primaryGroupID') ? ann : admins, ldapPageEnd()];
    };
    const server = await ScriptedLdapServer.start({ searches });
    servers.push(server);
    const config = { url: server.url, base_dn: BASE, timeout_ms: 5_000, rights: true };
    return runConnector(ldapConnector(new NodeDisk()), { config });
  }

  const linksOf = ({ entities, relationships }: TestRun): readonly string[] => {
    const names = new Map(entities.map(({ key, displayName }) => [key, displayName]));
    return relationships
      .map(({ from, verb, to }) => `${names.get(from.key)} ${verb} ${names.get(to.key)}`)
      .sort();
  };

  const whole: readonly (readonly [string, number, number, Attributes])[] = [
    ['Ann', 1, 1105, { nTSecurityDescriptor: [DESCRIPTOR] }],
    ['Domain Admins', 2, 512, { nTSecurityDescriptor: [descriptorBytes([], ANN_SID)] }],
    [
      'PC',
      3,
      1104,
      {
        nTSecurityDescriptor: [descriptorBytes([{ mask: 0x100, objectType: LAPS }], `${DOMAIN}-512`)],
        'ms-Mcs-AdmPwdExpirationTime': ['1'],
        'msDS-AllowedToActOnBehalfOfOtherIdentity': [descriptorBytes([{ mask: 0xf01ff }], `${DOMAIN}-512`)],
      },
    ],
  ];

  it('are edges between its entities, and to identities that are no entries', async () => {
    const run = await read(whole);

    expect(run.report).toMatchObject({ status: 'complete', warnings: [] });
    expect(linksOf(run)).toEqual([
      'Ann AllowedToAct PC',
      'Ann MEMBER_OF Domain Admins',
      'Ann MemberOf Domain Admins',
      'Ann Owns Domain Admins',
      'Ann ReadLAPSPassword PC',
      'Authenticated Users WriteDacl Ann',
      'Authenticated Users WriteOwner Ann',
      'Domain Admins Owns Ann',
      'Domain Admins Owns PC',
      'PC MEMBER_OF Domain Admins',
      'PC MemberOf Domain Admins',
      'S-1-5-21-9-9-9-500 GenericWrite Ann',
      'corp Contains Ann',
      'corp Contains Domain Admins',
      'corp Contains PC',
    ]);
    const named = run.entities.map(({ type, labels, properties }) => [type, labels, properties['objectid']]);
    expect(named).toEqual([
      ['user', ['Base'], ANN_SID],
      ['group', ['Base'], `${DOMAIN}-512`],
      ['group', ['Base'], 'CORP.EXAMPLE-S-1-5-11'],
      ['computer', ['Base'], `${DOMAIN}-1104`],
      ['domain', ['Base'], DOMAIN],
      ['base', undefined, 'S-1-5-21-9-9-9-500'],
    ]);
  });

  it('reach over by delegation and former identifiers, under the names of collectors', async () => {
    const run = await read(whole, {
      ofAnn: {
        userAccountControl: [String(0x200 + 0x80000)],
        'msDS-AllowedToDelegateTo': ['cifs/PC', 'MSSQLSvc/pc.corp.example:1433', 'http/elsewhere.example/x'],
        sIDHistory: [
          sidBytes('S-1-5-21-8-8-8-1001'),
          sidBytes(`${DOMAIN}-512`),
          Buffer.from('no identifier'),
        ],
      },
      ofComputer: { userAccountControl: [String(0x2000 + 0x80000)] },
    });

    expect(run.report).toMatchObject({
      status: 'complete',
      external_count: 1,
      ignored: { 'former identifiers that are none': 1 },
    });
    expect(run.report.warnings[0]).toContain('may delegate to http/elsewhere.example/x');
    expect(
      linksOf(run).filter((text) => / (AllowedToDelegate|CoerceToTGT|HasSIDHistory) /.test(text)),
    ).toEqual([
      'Ann AllowedToDelegate PC',
      'Ann CoerceToTGT corp',
      'Ann HasSIDHistory Domain Admins',
      'Ann HasSIDHistory S-1-5-21-8-8-8-1001',
    ]);
    const ann = run.entities.find(({ displayName }) => displayName === 'Ann');
    expect(ann?.properties).toMatchObject({
      samaccountname: 'Ann',
      unconstraineddelegation: true,
      trustedtoauth: false,
      sidhistory: ['S-1-5-21-8-8-8-1001', `${DOMAIN}-512`],
    });
  });

  it('reach over to other domains by the trusts that the domain states', async () => {
    const run = await read(whole, {
      trusts: [
        trust('child.corp.example', 'S-1-5-21-4', { trustDirection: '3', trustAttributes: '32' }),
        trust('open.example', 'S-1-5-21-5', { trustDirection: '2', trustAttributes: '0' }),
        trust('forest.example', 'S-1-5-21-6', { trustDirection: '1', trustAttributes: String(0x808) }),
        trust('gone.example', 'S-1-5-21-7', { trustDirection: '0', trustAttributes: '0' }),
        trust('realm.example', '', { trustDirection: '3', trustType: '3', trustAttributes: '0' }),
      ],
    });

    expect(run.report).toMatchObject({
      status: 'complete',
      ignored: { 'trusts without the identifier of a domain': 1 },
    });
    expect(linksOf(run).filter((text) => /Trust|Spoof|TGT/.test(text))).toEqual([
      'CHILD.CORP.EXAMPLE SameForestTrust corp',
      'FOREST.EXAMPLE AbuseTGTDelegation corp',
      'FOREST.EXAMPLE CrossForestTrust corp',
      'OPEN.EXAMPLE SpoofSIDHistory corp',
      'corp CrossForestTrust OPEN.EXAMPLE',
      'corp SameForestTrust CHILD.CORP.EXAMPLE',
    ]);
    const open = run.relationships.find(
      ({ verb, to }) => verb === 'CrossForestTrust' && to.key === 'S-1-5-21-5',
    );
    expect(open?.properties).toEqual({
      isacl: false,
      trusttype: 'External',
      transitive: true,
      spoofsidhistoryblocked: false,
    });
  });

  it.each<[string, Attributes, string]>([
    ['without one', {}, ''],
    [
      'with one that is cut',
      { nTSecurityDescriptor: [DESCRIPTOR.subarray(0, 40)] },
      'expected a security identifier, got other bytes',
    ],
  ])('are incomplete with an object %s, and those of before are kept', async (_, more, reason) => {
    const { report } = await read([...whole.slice(0, 2), ['PC', 3, 1104, more]]);

    expect(report.status).toBe('partial');
    expect(report.partial_types).toEqual(
      expect.arrayContaining(['GenericAll', 'Owns', 'DCSync', 'AllowedToAct']),
    );
    expect(report.partial_types).not.toContain('Contains');
    expect(report.warnings.at(-1)).toContain(
      `does not give the access list of 1 objects, or not a whole one: CN=PC,${BASE}`,
    );
    if (reason !== '') expect(report.warnings[0]).toContain(`CN=PC,${BASE}, nTSecurityDescriptor: ${reason}`);
  });

  it('are refused as a step if the server gives no access list at all', async () => {
    const { report } = await read(whole.map(([name, last, rid]) => [name, last, rid, {}]));

    expect(report.status).toBe('partial');
    const step = report.steps.find(({ id }) => id === 'rights');
    expect(step).toMatchObject({ status: 'failed' });
    expect(step?.reason).toContain('the server does not give the access list of 3 objects');
  });
});
