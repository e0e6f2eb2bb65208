import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client } from 'ldapts';
import { isLdapInstalled, LDAP_ADMIN, LDAP_PASSWORD, LdapServer } from '#graph/testing';
import { NodeDisk } from '#platform/disk';
import { ldapConnector } from '../src/connectors/ldap/ldap-connector.ts';
import { runConnector, type TestRun } from '../src/kit/run-connector.ts';
import { describeUnless } from '#testing';

const ROOT = 'dc=corp,dc=example';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const entry = (dn: string, ...lines: readonly string[]) => `dn: ${dn},${ROOT}\n${lines.join('\n')}\n`;
const branch = (name: string) => entry(`ou=${name}`, 'objectClass: organizationalUnit', `ou: ${name}`);
const person = (rdn: string, ...lines: readonly string[]) =>
  entry(rdn, 'objectClass: inetOrgPerson', 'sn: s', ...lines);
const names = (rdn: string, ...members: readonly string[]) =>
  entry(rdn, 'objectClass: groupOfNames', ...members.map((member) => `member: ${member}`));
const account = (rdn: string, gid: number, number: number) =>
  person(
    rdn,
    'objectClass: posixAccount',
    'cn: c',
    `uidNumber: ${number}`,
    `gidNumber: ${gid}`,
    'homeDirectory: /',
  );
const posixGroup = (rdn: string, gid: number, ...members: readonly string[]) =>
  entry(
    rdn,
    'objectClass: posixGroup',
    `gidNumber: ${gid}`,
    ...members.map((member) => `memberUid: ${member}`),
  );

/** A subtree for each case, used as the base of its run. */
const LDIF = [
  `dn: ${ROOT}\nobjectClass: dcObject\nobjectClass: organization\no: Corp\ndc: corp\n`,
  ...['spelling', 'posix', 'doubles', 'outside', 'elsewhere', 'moved', 'placeholder'].map(branch),
  person('cn=Ann+uid=ann,ou=spelling', 'uid: ann', 'cn: Ann'),
  person('cn=a\\+b,ou=spelling', 'cn: a+b'),
  names(
    'cn=all,ou=spelling',
    `UID = Ann + CN = ann , OU=Spelling,${ROOT}`,
    `2.5.4.3=\\41\\2Bb,ou=spelling,${ROOT}`,
  ),
  account('uid=ann,ou=posix', 42, 1),
  account('uid=bob,ou=posix', 100, 2),
  posixGroup('cn=staff,ou=posix', 42, 'ann'),
  posixGroup('cn=wheel,ou=posix', 43, 'bobby'),
  person('uid=bobby,ou=posix', 'cn: Bobby', 'uid: bob-2', 'uid: bobby'),
  branch('a,ou=doubles').replace('ou: a,ou=doubles', 'ou: a'),
  person('uid=ann,ou=a,ou=doubles', 'cn: Ann'),
  person('uid=ann,ou=doubles', 'cn: Another'),
  person('uid=bob,ou=doubles', 'cn: Bob'),
  posixGroup('cn=staff,ou=doubles', 42, 'ann', 'bob'),
  person('uid=ann,ou=outside', 'cn: Ann'),
  names('cn=staff,ou=outside', `uid=ann,ou=outside,${ROOT}`, `uid=ann,ou=posix,${ROOT}`),
  names('cn=empty,ou=placeholder', 'cn=none'),
  names('cn=nobody,ou=placeholder', `uid=gone,ou=placeholder,${ROOT}`),
  person('uid=ann,ou=elsewhere', 'cn: Ann'),
  names('cn=staff,ou=elsewhere', `uid=ann,ou=elsewhere,${ROOT}`),
  entry(
    'ou=far,ou=elsewhere',
    'objectClass: referral',
    'objectClass: extensibleObject',
    'ou: far',
    `ref: ldap://far.example/ou=far,ou=elsewhere,${ROOT}`,
  ),
  person('uid=ann,ou=moved', 'cn: Ann'),
].join('\n');

const describeWithServer = describeUnless(
  isLdapInstalled ? undefined : 'slapd is not installed; Debian: apt-get install slapd',
);

describeWithServer('memberships of a directory', () => {
  let server: LdapServer;

  beforeAll(async () => {
    server = await LdapServer.start(LDIF);
  });
  afterAll(() => server.stop());

  const read = (name: string) =>
    runConnector(ldapConnector(new NodeDisk()), {
      config: {
        url: server.url,
        base_dn: `ou=${name},${ROOT}`,
        bind_dn: LDAP_ADMIN,
        password_env: 'LDAP',
      },
      environment: { LDAP: LDAP_PASSWORD },
    });

  it('resolve names in any spelling', async () => {
    const run = await read('spelling');

    expect(run.report).toMatchObject({ status: 'complete', warnings: [] });
    expect(sentencesOf(run)).toEqual(['Ann MEMBER_OF all', 'a+b MEMBER_OF all']);
  });

  it('include primary groups, and users by any of their names', async () => {
    const run = await read('posix');

    expect(sentencesOf(run)).toEqual(['Bobby MEMBER_OF wheel', 'c MEMBER_OF staff']);
    expect(run.report).toMatchObject({
      status: 'complete',
      warnings: ['memberships: primary groups (gidNumber) that are no group here: 100'],
    });
  });

  it('are incomplete if a name matches two users: neither is a member', async () => {
    const run = await read('doubles');

    expect(sentencesOf(run)).toEqual(['Bob MEMBER_OF staff']);
    expect(run.report).toMatchObject({ status: 'partial', partial_types: [], unresolved_count: 1 });
    expect(run.partialRelationships).toMatchObject([{ type: 'group', end: 'to', verb: 'MEMBER_OF' }]);
    expect(run.report.warnings).toEqual([
      expect.stringMatching(/cn=staff,.* has a member that is 2 users here: ann \([-0-9a-f]+, [-0-9a-f]+\)$/),
    ]);
  });

  it('are complete when a member is outside the base', async () => {
    const run = await read('outside');

    expect(sentencesOf(run)).toEqual(['Ann MEMBER_OF staff']);
    expect(run.report).toMatchObject({
      status: 'complete',
      external_count: 1,
      warnings: [
        expect.stringContaining(`has a member that is outside ou=outside,${ROOT}: uid=ann,ou=posix,${ROOT}`),
      ],
    });
  });

  it('are complete with an unmatched name and a placeholder of an empty group', async () => {
    const run = await read('placeholder');

    expect(sentencesOf(run)).toEqual([]);
    expect(run.report).toMatchObject({
      status: 'complete',
      warnings: [expect.stringContaining('cn=nobody,')],
    });
  });

  it('are incomplete, as are users and groups, if a part is on another server', async () => {
    const run = await read('elsewhere');

    expect(sentencesOf(run)).toEqual(['Ann MEMBER_OF staff']);
    expect(run.report).toMatchObject({ status: 'partial' });
    expect([...run.report.partial_types].sort()).toEqual(['MEMBER_OF', 'group', 'user']);
    expect(run.report.warnings[0]).toContain('ldap://far.example/');
  });

  it('keeps a renamed user as one entity', async () => {
    const [before] = (await read('moved')).entities;
    const client = new Client({ url: server.url });
    await client.bind(LDAP_ADMIN, LDAP_PASSWORD);
    await client.modifyDN(`uid=ann,ou=moved,${ROOT}`, 'uid=anna');
    await client.unbind();

    const [after] = (await read('moved')).entities;

    expect(before?.key).toMatch(UUID);
    expect(after?.key).toBe(before?.key);
    expect(after?.properties).toMatchObject({ name: 'anna', dn: `uid=anna,ou=moved,${ROOT}` });
  });
});

function sentencesOf({ entities, relationships }: TestRun): readonly string[] {
  const shown = new Map(entities.map(({ key, displayName }) => [key, displayName]));
  return relationships
    .map(({ from, verb, to }) => `${shown.get(from.key)} ${verb} ${shown.get(to.key)}`)
    .sort();
}
