import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { isLdapInstalled, LDAP_ADMIN, LDAP_PASSWORD, LdapServer } from '#graph/testing';
import { NodeDisk } from '#platform/disk';
import { ldapConnector } from '../src/connectors/ldap/ldap-connector.ts';
import { runConnector, type TestRun } from '../src/kit/run-connector.ts';
import { describeUnless } from '#testing';

const ROOT = 'dc=corp,dc=example';
const entry = (dn: string, ...lines: readonly string[]) => `dn: ${dn},${ROOT}\n${lines.join('\n')}\n`;
const classes = (...names: readonly string[]) => names.map((name) => `objectClass: ${name}`);
const branch = (name: string) => entry(`ou=${name}`, 'objectClass: organizationalUnit', `ou: ${name}`);
const person = (dn: string, ...lines: readonly string[]) =>
  entry(dn, ...classes('inetOrgPerson'), 'sn: s', 'cn: c', ...lines);
const names = (dn: string, ...members: readonly string[]) =>
  entry(dn, ...classes('groupOfNames'), ...members.map((member) => `member: ${member},${ROOT}`));
const posix = (dn: string, number: number, ...lines: readonly string[]) =>
  entry(
    dn,
    ...classes(
      'account',
      'posixAccount',
      ...lines.filter((line) => line.startsWith('shadow')).map(() => 'shadowAccount'),
    ),
    'cn: c',
    `uidNumber: ${number}`,
    'gidNumber: 10',
    'homeDirectory: /h',
    ...lines,
  );
const urls = (dn: string, ...members: readonly string[]) =>
  entry(dn, ...classes('groupOfURLs'), ...members.map((url) => `memberURL: ${url}`));

/** A subtree for each case, used as the base of its run. */
const LDIF = [
  `dn: ${ROOT}\nobjectClass: dcObject\nobjectClass: organization\no: Corp\ndc: corp\n`,
  ...['kinds', 'spelling', 'languages', 'cycles', 'expiry', 'aliases', 'escapes', 'joins', 'roles'].map(
    branch,
  ),
  ...['urls', 'doubles'].map(branch),
  entry('uid=svc,ou=kinds', ...classes('account', 'simpleSecurityObject'), 'userPassword: x'),
  entry('uid=jane,ou=kinds', ...classes('person', 'uidObject'), 'cn: Jane', 'sn: Doe'),
  entry(
    'cn=replicator,ou=kinds',
    ...classes('organizationalRole', 'simpleSecurityObject'),
    'userPassword: x',
  ),
  person('uid=ann,ou=kinds'),
  entry('cn=printer,ou=kinds', ...classes('device')),
  names(
    'cn=all,ou=kinds',
    ...['uid=svc', 'uid=jane', 'cn=replicator', 'uid=ann'].map((rdn) => `${rdn},ou=kinds`),
  ),
  posix('uid=alice,ou=spelling', 1),
  posix('uid=bob,ou=spelling', 2),
  entry(
    'cn=ops,ou=spelling',
    ...classes('posixGroup'),
    'gidNumber: 20',
    'memberUid: Alice',
    'memberUid: bob',
  ),
  entry(
    'cn=local,ou=spelling',
    ...classes('posixGroup'),
    'gidNumber: 21',
    'memberUid: root',
    'memberUid: bob',
  ),
  person('uid=c,ou=languages', 'displayName;lang-de: Zeh', 'displayName;lang-ar: Arab'),
  person('uid=d,ou=languages', 'displayName;lang-de: Deh', 'displayName: Plain'),
  names('cn=g,ou=languages', 'uid=c,ou=languages').replace(
    'member:',
    'description;lang-en: the group\nmember;lang-en:',
  ),
  names('cn=a,ou=cycles', 'cn=b,ou=cycles', 'cn=a,ou=cycles'),
  entry(
    'cn=b,ou=cycles',
    ...classes('groupOfUniqueNames'),
    'uniqueMember: CN=A, OU=cycles , DC=corp,DC=example',
  ),
  posix('uid=old,ou=expiry', 3, 'shadowExpire: 1'),
  posix('uid=far,ou=expiry', 4, 'shadowExpire: 99999'),
  posix('uid=never,ou=expiry', 5, 'shadowExpire: -1'),
  posix('uid=plain,ou=expiry', 6),
  person('uid=d,ou=aliases'),
  entry(
    'uid=d2,ou=aliases',
    ...classes('alias', 'extensibleObject'),
    `aliasedObjectName: uid=d,ou=aliases,${ROOT}`,
  ),
  entry(
    'uid=d3,ou=aliases',
    ...classes('alias', 'extensibleObject'),
    `aliasedObjectName: uid=d2,ou=aliases,${ROOT}`,
  ),
  entry(
    'uid=x,ou=aliases',
    ...classes('alias', 'extensibleObject'),
    `aliasedObjectName: uid=y,ou=aliases,${ROOT}`,
  ),
  entry(
    'uid=y,ou=aliases',
    ...classes('alias', 'extensibleObject'),
    `aliasedObjectName: uid=x,ou=aliases,${ROOT}`,
  ),
  names('cn=g,ou=aliases', 'uid=d3,ou=aliases', 'uid=x,ou=aliases'),
  entry('cn=Doe\\2C Jane (ext)+uid=jd,ou=escapes', ...classes('inetOrgPerson'), 'sn: Doe'),
  names('cn=g,ou=escapes', 'UID=JD+CN=Doe\\, Jane (ext),ou=ESCAPES'),
  person('uid=zoe,ou=joins'),
  entry(
    'cn=dnuid,ou=joins',
    ...classes('posixGroup'),
    'gidNumber: 77',
    `memberUid: uid=zoe,ou=joins,${ROOT}`,
  ),
  entry(
    'cn=gone,ou=joins',
    ...classes('posixGroup'),
    'gidNumber: 78',
    `memberUid: uid=gone,ou=joins,${ROOT}`,
  ),
  person('uid=boss,ou=roles'),
  entry('cn=director,ou=roles', ...classes('organizationalRole'), `roleOccupant: uid=boss,ou=roles,${ROOT}`),
  person('uid=ann,ou=urls', 'title: dba'),
  person('uid=bob,ou=urls', 'title: dev'),
  names('cn=inner,ou=urls', 'uid=bob,ou=urls'),
  urls(
    'cn=dbas,ou=urls',
    `ldap:///ou=urls,${ROOT}??sub?(title=dba)`,
    `ldap:///ou=urls,${ROOT}??one?(%7c(cn=inner)(ou=nothing))`,
    `ldap://far.example/ou=far??sub?(title=dba)`,
  ),
  urls('cn=broken,ou=urls', `ldap:///ou=urls,${ROOT}?mail?sub?(title=dba)`),
  urls('cn=nowhere,ou=urls', `ldap:///ou=missing,${ROOT}??sub?(title=dba)`),
  branch('a,ou=doubles').replace('ou: a,ou=doubles', 'ou: a'),
  person('uid=ann,ou=a,ou=doubles'),
  person('uid=Ann,ou=doubles'),
  entry('cn=exact,ou=doubles', ...classes('posixGroup'), 'gidNumber: 1', 'memberUid: ann'),
  entry('cn=either,ou=doubles', ...classes('posixGroup'), 'gidNumber: 2', 'memberUid: ANN'),
].join('\n');

const describeWithServer = describeUnless(
  isLdapInstalled ? undefined : 'slapd is not installed; Debian: apt-get install slapd',
);

describeWithServer('entries of a directory', () => {
  let server: LdapServer;

  beforeAll(async () => {
    server = await LdapServer.start(LDIF);
  });
  afterAll(() => server.stop());

  const read = (name: string, more: object = {}) => {
    const base_dn = `ou=${name},${ROOT}`;
    const config = { url: server.url, base_dn, bind_dn: LDAP_ADMIN, password_env: 'LDAP', ...more };
    return runConnector(ldapConnector(new NodeDisk()), { config, environment: { LDAP: LDAP_PASSWORD } });
  };

  it('of accounts, persons and security objects are users', async () => {
    const run = await read('kinds');

    expect(sentencesOf(run)).toEqual(
      ['ann', 'jane', 'replicator', 'svc'].map((name) => `${name} MEMBER_OF all`),
    );
    expect(run.entities.filter(({ type }) => type === 'user')).toHaveLength(4);
    expect(run.report).toMatchObject({ status: 'complete', warnings: [] });
  });

  it('are found by a memberUid in another case, which is counted; local users are external', async () => {
    const run = await read('spelling');

    expect(sentencesOf(run)).toEqual(['alice MEMBER_OF ops', 'bob MEMBER_OF local', 'bob MEMBER_OF ops']);
    expect(run.report).toMatchObject({ status: 'complete', external_count: 1, unresolved_count: 0 });
    expect(run.report.warnings).toContain(
      'memberships: 1 member is spelt otherwise than the uid of the user: Alice',
    );
  });

  it('are matched exactly before case is ignored', async () => {
    const run = await read('doubles');

    expect(sentencesOf(run)).toEqual(['ann MEMBER_OF exact']);
    expect(run.report).toMatchObject({ status: 'partial', unresolved_count: 1, partial_types: [] });
  });

  it('have values with options, after those without', async () => {
    const run = await read('languages');

    const names = run.entities.map(({ displayName }) => displayName);
    expect(names.sort()).toEqual(['Arab', 'Plain', 'g']);
    const group = run.entities.find(({ displayName }) => displayName === 'g');
    expect(group?.properties).toMatchObject({ description: 'the group' });
    expect(sentencesOf(run)).toEqual(['c MEMBER_OF g']);
  });

  it('may be members of themselves and of each other', async () => {
    expect(sentencesOf(await read('cycles'))).toEqual(['a MEMBER_OF a', 'a MEMBER_OF b', 'b MEMBER_OF a']);
  });

  it('are inactive after shadowExpire', async () => {
    const { entities } = await read('expiry');

    expect(entities.map(({ properties }) => [properties['name'], properties['active']])).toEqual([
      ['old', false],
      ['far', true],
      ['never', true],
      ['plain', true],
    ]);
  });

  it('are members through aliases, also of aliases', async () => {
    const run = await read('aliases');

    expect(sentencesOf(run)).toEqual(['d MEMBER_OF g']);
    expect(run.report).toMatchObject({
      status: 'complete',
      warnings: [expect.stringContaining('uid=x,ou=aliases')],
    });
  });

  it('are one entry with their names in any order and escape', async () => {
    const run = await read('escapes');

    expect(sentencesOf(run)).toEqual(['jd MEMBER_OF g']);
    expect(run.report).toMatchObject({ status: 'complete', warnings: [] });
  });

  it('are found by names in memberUid', async () => {
    const run = await read('joins');

    expect(sentencesOf(run)).toEqual(['zoe MEMBER_OF dnuid']);
    expect(run.report).toMatchObject({ status: 'complete', warnings: [expect.stringContaining('uid=gone')] });
  });

  it('are members by the configured attributes', async () => {
    const group_filter = '(objectClass=organizationalRole)';

    expect(sentencesOf(await read('roles', { group_filter }))).toEqual(['boss MEMBER_OF director']);
    expect(sentencesOf(await read('roles', { group_filter, member_attributes: ['member'] }))).toEqual([]);
  });

  it('are members of dynamic groups if their searches find them', async () => {
    const run = await read('urls', { dynamic_groups: true });

    expect(sentencesOf(run)).toEqual(['ann MEMBER_OF dbas', 'bob MEMBER_OF inner', 'inner MEMBER_OF dbas']);
    expect(run.report).toMatchObject({ status: 'partial', external_count: 1, unresolved_count: 2 });
    expect(run.report.warnings).toEqual([
      expect.stringContaining('on another server: ldap://far.example/'),
      expect.stringContaining('cn=broken,ou=urls,dc=corp,dc=example cannot be searched: expected ldap:///'),
      expect.stringContaining('cn=nowhere,ou=urls,dc=corp,dc=example cannot be searched: ldap:///'),
    ]);
    expect((await read('urls')).entities.map(({ displayName }) => displayName)).not.toContain('dbas');
  });
});

function sentencesOf({ entities, relationships }: TestRun): readonly string[] {
  const shown = new Map(entities.map(({ key, properties }) => [key, String(properties['name'])]));
  return relationships
    .map(({ from, verb, to }) => `${shown.get(from.key)} ${verb} ${shown.get(to.key)}`)
    .sort();
}
