import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { isLdapInstalled, LDAP_ADMIN, LDAP_PASSWORD, LdapServer } from '#graph/testing';
import { NodeDisk } from '#platform/disk';
import { ldapConnector } from '../src/connectors/ldap/ldap-connector.ts';
import { connectorMatchers } from '../src/kit/matchers.ts';
import { runConnector, type TestRun } from '../src/kit/run-connector.ts';
import { describeUnless } from '#testing';

const BASE = 'dc=corp,dc=example';
const USER_COUNT = 25;

const entry = (dn: string, ...lines: readonly string[]) => `dn: ${dn},${BASE}\n${lines.join('\n')}\n`;
const userName = (index: number) => `user${String(index).padStart(2, '0')}`;

const LDIF = [
  `dn: ${BASE}\nobjectClass: dcObject\nobjectClass: organization\no: Corp\ndc: corp\n`,
  entry('ou=people', 'objectClass: organizationalUnit', 'ou: people'),
  entry('ou=groups', 'objectClass: organizationalUnit', 'ou: groups'),
  ...Array.from({ length: USER_COUNT }, (_, index) =>
    entry(
      `uid=${userName(index)},ou=people`,
      'objectClass: inetOrgPerson',
      `uid: ${userName(index)}`,
      `cn: User ${index}`,
      `sn: ${index}`,
      `mail: ${userName(index)}@corp.example`,
      `userPassword: password-of-${userName(index)}`,
    ),
  ),
  entry(
    'cn=analysts,ou=groups',
    'objectClass: groupOfNames',
    'cn: analysts',
    'description: those who analyse',
    `member: UID=user00, OU=People, ${BASE}`,
    `member: cn=seniors,ou=groups,${BASE}`,
    `member: uid=gone,ou=people,${BASE}`,
  ),
  entry(
    'cn=seniors,ou=groups',
    'objectClass: groupOfNames',
    'cn: seniors',
    `member: uid=user01,ou=people,${BASE}`,
    `member: cn=analysts,ou=groups,${BASE}`,
  ),
  entry('cn=unix,ou=groups', 'objectClass: posixGroup', 'cn: unix', 'gidNumber: 42', 'memberUid: user02'),
].join('\n');

const person = (name: string) => `uid=${name},ou=people,${BASE}`;
const group = (name: string) => `cn=${name},ou=groups,${BASE}`;

const describeWithServer = describeUnless(
  isLdapInstalled ? undefined : 'slapd is not installed; Debian: apt-get install slapd',
);

describeWithServer('the LDAP connector', () => {
  const connector = ldapConnector(new NodeDisk());
  let server: LdapServer;
  let run: TestRun;

  const runWith = (more: object, password = LDAP_PASSWORD) =>
    runConnector(connector, {
      config: { url: server.url, base_dn: BASE, bind_dn: LDAP_ADMIN, password_env: 'LDAP', ...more },
      environment: { LDAP: password },
    });

  beforeAll(async () => {
    server = await LdapServer.start(LDIF, 10);
    run = await runWith({ page_size: 4 });
  });
  afterAll(() => server.stop());

  it('reads all users, page after page', () => {
    const users = run.entities.filter(({ type }) => type === 'user');

    expect(connectorMatchers.toHaveCompleted(run)).toMatchObject({ pass: true });
    expect(users).toHaveLength(USER_COUNT);
    expect(entityNamed(run, person('user07'))).toMatchObject({
      class: 'User',
      displayName: 'User 7',
      properties: { name: 'user07', email: 'user07@corp.example', last_name: '7', active: true },
    });
  });

  it('reads groups of names and POSIX groups', () => {
    expect(entityNamed(run, group('analysts'))?.properties).toMatchObject({
      name: 'analysts',
      description: 'those who analyse',
    });
    expect(entityNamed(run, group('unix'))?.properties).toMatchObject({ gid_number: 42 });
  });

  it('relates members in any spelling, nested groups and cycles', () => {
    expect(sentencesOf(run)).toEqual(
      [
        `${person('user00')} MEMBER_OF ${group('analysts')}`,
        `${group('seniors')} MEMBER_OF ${group('analysts')}`,
        `${group('analysts')} MEMBER_OF ${group('seniors')}`,
        `${person('user01')} MEMBER_OF ${group('seniors')}`,
        `${person('user02')} MEMBER_OF ${group('unix')}`,
      ].sort(),
    );
  });

  it('reports missing members', () => {
    expect(run.report.warnings).toEqual([
      `memberships: ${group('analysts')} has a member that is no user and no group here: ${person('gone')}`,
    ]);
  });

  it('uses TLS with a trusted certificate, and rejects another one', async () => {
    const known = await runWith({ url: server.secureUrl, ca_file: server.caFile });
    const unknown = await runWith({ url: server.secureUrl });
    const upgraded = await runWith({ start_tls: true, ca_file: server.caFile });

    expect(known.report).toMatchObject({ status: 'complete', entities: run.report.entities });
    expect(unknown.report.steps[0]?.reason).toContain('self-signed certificate');
    expect(upgraded.report.status).toBe('complete');
  });

  it('fails on a wrong password, with a reason that does not contain it', async () => {
    const { report } = await runWith({}, 'wrong-password');

    expect(report).toMatchObject({ status: 'failed', entities: 0 });
    expect(report.steps[0]?.reason).toBe('the server refuses the credentials (LDAP 49)');
    expect(JSON.stringify(report)).not.toContain('wrong-password');
  });

  it('fails if the server truncates the result', async () => {
    const { report, entities } = await runWith({ bind_dn: person('user00') }, 'password-of-user00');

    expect(report.status).toBe('partial');
    expect(report.steps[0]).toMatchObject({ id: 'users', status: 'failed' });
    expect(report.steps[0]?.reason).toBe('the server gives only some entries: its size limit (LDAP 4)');
    expect(report.partial_types).toEqual(['user', 'MEMBER_OF']);
    expect(entities.filter(({ type }) => type === 'user')).toEqual([]);
  });

  it('rejects a login with a name and an empty password', async () => {
    const { report } = await runWith({ password_env: undefined });

    expect(report.steps[0]?.reason).toBe('bind_dn without password_env: the bind would be anonymous');
  });

  it('fails without a server, and without the base entry', async () => {
    const nobody = await runWith({ url: 'ldap://127.0.0.1:1' });
    const nowhere = await runWith({ base_dn: 'dc=elsewhere' });

    expect(nobody.report.steps[0]?.reason).toContain('ECONNREFUSED');
    expect(nowhere.report).toMatchObject({ status: 'failed', entities: 0 });
  });
});

/** Keys are assigned by the server; names are given by the test. */
function entityNamed({ entities }: TestRun, dn: string) {
  return entities.find(({ properties }) => properties['dn'] === dn);
}

function sentencesOf({ entities, relationships }: TestRun): readonly string[] {
  const names = new Map(entities.map(({ key, properties }) => [key, properties['dn']]));
  return relationships
    .map(({ from, verb, to }) => `${String(names.get(from.key))} ${verb} ${String(names.get(to.key))}`)
    .sort();
}
