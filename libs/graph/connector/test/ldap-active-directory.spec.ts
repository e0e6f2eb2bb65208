import { afterEach, describe, expect, it } from '@jest/globals';
import { type LdapAnswer, ldapEntry, ldapPageEnd, type LdapReply, ScriptedLdapServer } from '#graph/testing';
import { NodeDisk } from '#platform/disk';
import { ldapConnector } from '../src/connectors/ldap/ldap-connector.ts';
import { runConnector, type TestRun } from '../src/kit/run-connector.ts';

const BASE = 'DC=corp,DC=example';
const DOMAIN = [21, 1, 2, 3];

/** The binary form of Active Directory: revision, count, authority, and little-endian parts. */
function sid(...parts: readonly number[]): Buffer {
  const words = parts.map((part) => {
    const word = Buffer.alloc(4);
    word.writeUInt32LE(part);
    return word;
  });
  return Buffer.concat([Buffer.of(1, parts.length, 0, 0, 0, 0, 0, 5), ...words]);
}

const guid = (last: number) =>
  Buffer.from(`33221100554477668899aabbccddee${last.toString(16).padStart(2, '0')}`, 'hex');
const keyOf = (last: number) => `00112233-4455-6677-8899-aabbccddee${last.toString(16).padStart(2, '0')}`;
const user = (name: string, last: number, primaryGroup = '513') =>
  ldapEntry(`CN=${name},CN=Users,${BASE}`, {
    cn: [name],
    sAMAccountName: [name],
    objectGUID: [guid(last)],
    objectSid: [sid(...DOMAIN, 1000 + last)],
    primaryGroupID: [primaryGroup],
  });
const member = (name: string) => `CN=${name},CN=Users,${BASE}`;
const group = (attributes: Readonly<Record<string, readonly (Buffer | string)[]>>) =>
  ldapEntry(`CN=Domain Users,CN=Users,${BASE}`, {
    cn: ['Domain Users'],
    objectGUID: [guid(0xf0)],
    objectSid: [sid(...DOMAIN, 513)],
    ...attributes,
  });
const USERS = [user('Ann', 1), user('Bob', 2), user('Cid', 3), user('Dan', 4)];
const RANGE = /member;range=(\d+)-\*/;

describe('the LDAP connector and Active Directory', () => {
  const servers: ScriptedLdapServer[] = [];
  afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));

  /** The requested attributes distinguish the searches for users, groups and members. */
  async function read(
    users: readonly LdapReply[],
    attributes: Readonly<Record<string, readonly string[]>> = {},
    ranges: Readonly<Record<string, LdapAnswer>> = {},
  ): Promise<TestRun> {
    const searches = (request: string): LdapAnswer => {
      const from = RANGE.exec(request)?.[1];
      if (from !== undefined) return ranges[from] ?? [];
      return [...(request.includes('primaryGroupID') ? users : [group(attributes)]), ldapPageEnd()];
    };
    const server = await ScriptedLdapServer.start({ searches });
    servers.push(server);
    const config = { url: server.url, base_dn: BASE, timeout_ms: 2_000 };
    return runConnector(ldapConnector(new NodeDisk()), { config });
  }

  const membersOf = ({ relationships }: TestRun) => relationships.map(({ from }) => from.key).sort();

  it('identifies entries by objectGUID, and primary groups by their identifier', async () => {
    const run = await read([user('Ann', 1), user('Bob', 2)]);

    expect(run.entities.map(({ key }) => key)).toEqual([keyOf(1), keyOf(2), keyOf(0xf0)]);
    expect(membersOf(run)).toEqual([keyOf(1), keyOf(2)]);
    expect(run.report).toMatchObject({ status: 'complete', warnings: [] });
    expect(run.entities[0]?.properties).toMatchObject({ sid: 'S-1-5-21-1-2-3-1001', dn: member('Ann') });
  });

  it('keeps the memberships of a user without a known primary group', async () => {
    const run = await read([user('Ann', 1), user('Bob', 2, '514')]);

    expect(membersOf(run)).toEqual([keyOf(1)]);
    expect(run.report).toMatchObject({ status: 'partial', partial_types: [] });
    expect(run.partialRelationships).toEqual([
      { type: 'user', key: keyOf(2), end: 'from', verb: 'MEMBER_OF' },
    ]);
    expect(run.report.warnings).toEqual([
      `memberships: the primary group of ${member('Bob')} is no group here: S-1-5-21-1-2-3-514`,
    ]);
  });

  /** The users without primary groups, so that members come only from the lists. */
  const listed = USERS.map((_, index) =>
    ldapEntry(member(['Ann', 'Bob', 'Cid', 'Dan'][index] ?? ''), { objectGUID: [guid(index + 1)] }),
  );
  const first = { member: [], 'member;range=0-1': [member('Ann'), member('Bob')] };
  const rangeReply = (attributes: Readonly<Record<string, readonly string[]>>): LdapAnswer => [
    group(attributes),
    ldapPageEnd(),
  ];

  it('reads all ranges of members', async () => {
    const run = await read(listed, first, {
      2: rangeReply({ 'member;range=2-2': [member('Cid')] }),
      3: rangeReply({ 'member;range=3-*': [member('Dan')] }),
    });

    expect(membersOf(run)).toEqual([keyOf(1), keyOf(2), keyOf(3), keyOf(4)]);
    expect(run.report).toMatchObject({ status: 'complete', warnings: [] });
  });

  it.each<[string, LdapAnswer, string]>([
    ['is refused', [ldapPageEnd('', 51)], 'the server is busy (LDAP 51)'],
    ['is not given', rangeReply({}), 'the server does not return them from number 2 on'],
    [
      'is the first once more',
      rangeReply({ 'member;range=0-1': [member('Ann')] }),
      'the server does not return them from number 2 on',
    ],
    ['is empty', rangeReply({ 'member;range=2-3': [] }), 'the server does not return them from number 2 on'],
    [
      'ends before it begins',
      rangeReply({ 'member;range=2-1': [member('Cid')] }),
      'the server does not return them from number 2 on',
    ],
  ])('is incomplete when a range %s, and keeps what it has', async (_what, answer, reason) => {
    const run = await read(listed, first, { 2: answer });

    expect(membersOf(run)).toEqual([keyOf(1), keyOf(2)]);
    expect(run.report).toMatchObject({ status: 'partial', partial_types: [] });
    expect(run.partialRelationships).toEqual([
      { type: 'group', key: keyOf(0xf0), end: 'to', verb: 'MEMBER_OF' },
    ]);
    expect(run.report.warnings).toEqual([
      `memberships: the server gives only some members of CN=Domain Users,CN=Users,${BASE}: ${reason}`,
    ]);
  });

  it('is incomplete when the first range is missing', async () => {
    const run = await read(listed, { member: [], 'member;range=2-3': [member('Cid'), member('Dan')] });

    expect(membersOf(run)).toEqual([]);
    expect(run.report).toMatchObject({ status: 'partial', unresolved_count: 1 });
    expect(run.report.warnings[0]).toContain('the server does not return them from number 0 on');
  });

  it('is complete with members of another domain, which are external, and with system identifiers', async () => {
    const foreign = (text: string) => `CN=${text},CN=ForeignSecurityPrincipals,${BASE}`;
    const system = await read(listed, { member: [foreign('S-1-5-11')] });
    const other = await read(listed, { member: [foreign('S-1-5-21-7-8-9-1104')] });

    expect(system.report).toMatchObject({ status: 'complete', external_count: 0 });
    expect(other.report).toMatchObject({ status: 'complete', external_count: 1 });
  });
});
