import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { SAMBA_ADMIN, SAMBA_BASE, SAMBA_PASSWORD, sambaMissing, SambaServer } from '#graph/testing';
import type { EntityKey } from '#graph/model';
import { NodeDisk } from '#platform/disk';
import { ldapConnector } from '../src/connectors/ldap/ldap-connector.ts';
import { type AccessEntry, parseSecurityDescriptor } from '../src/connectors/ldap/security-descriptor.ts';
import { runConnector, type TestRun } from '../src/kit/run-connector.ts';
import { describeUnless } from '#testing';

jest.setTimeout(600_000);

/** Several pages. Samba returns all values of an attribute at once: ranges are tested elsewhere. */
const USERS = 120;
const PAGE_SIZE = 50;
const describeWithServer = describeUnless(sambaMissing());

describeWithServer('the LDAP connector and a domain controller', () => {
  let server: SambaServer | undefined;
  let run: TestRun;

  beforeAll(async () => {
    server = await SambaServer.start(USERS);
    run = await runConnector(ldapConnector(new NodeDisk()), {
      config: {
        url: server.url,
        base_dn: SAMBA_BASE,
        bind_dn: SAMBA_ADMIN,
        password_env: 'SAMBA_PASSWORD',
        page_size: PAGE_SIZE,
        rights: true,
        timeout_ms: 120_000,
      },
      environment: { SAMBA_PASSWORD },
    });
  });
  afterAll(() => server?.stop());

  const membersOf = (group: string): number => {
    const found = run.entities.find(({ type, displayName }) => type !== 'user' && displayName === group);
    return run.relationships.filter(({ verb, to }) => verb === 'MEMBER_OF' && to.key === found?.key).length;
  };

  it('reads every member of a large group', () => {
    expect(run.report).toMatchObject({ status: 'complete', partial_types: [] });
    expect(membersOf('everyone')).toBe(USERS);
  });

  it('reads primary groups, whose lists lack these members', () => {
    const administrators = run.entities.filter(({ displayName }) => displayName === 'Administrator');

    expect(administrators).toHaveLength(1);
    expect(membersOf('Domain Users')).toBeGreaterThanOrEqual(USERS + administrators.length);
    expect(membersOf('Domain Guests')).toBe(1);
  });

  /** The edges from the user `helper`, with `inherited` for those that its target inherits. */
  const rightsOf = (name: string): readonly string[] => {
    const names = new Map(run.entities.map(({ type, key, displayName }) => [`${type} ${key}`, displayName]));
    const nameOf = ({ type, key }: EntityKey): string => `${type} ${names.get(`${type} ${key}`)}`;
    return run.relationships
      .filter(({ from }) => nameOf(from) === name)
      .map(
        ({ verb, to, properties }) =>
          `${verb} ${nameOf(to)}${properties['isinherited'] === true ? ', inherited' : ''}`,
      )
      .sort();
  };

  it('has the rights of a user on each object, under the names of BloodHound', () => {
    expect(rightsOf('user helper')).toEqual([
      'AddMember group admins',
      'AllowedToAct computer pc',
      'AllowedToDelegate computer pc',
      'CoerceToTGT domain plexus',
      'DCSync domain plexus',
      'ForceChangePassword user victim',
      'GenericAll computer pc',
      'GetChanges domain plexus',
      'GetChangesAll domain plexus',
      'HasSIDHistory base S-1-5-21-8-8-8-1001',
      'MEMBER_OF group Domain Users',
      'MemberOf group Domain Users',
      'WriteDacl ou staff',
      'WriteDacl user victim, inherited',
    ]);
    expect(rightsOf('group admins')).toContain('Owns user victim');
    expect(rightsOf('ou staff')).toEqual(['Contains user victim']);
    expect(rightsOf('gpo Default Domain Policy')).toContain('GPLink domain plexus');
  });

  it('has the trusts that the domain states, and no delegation of the controller itself', () => {
    expect(rightsOf('domain OTHER.TEST')).toEqual([
      'CrossForestTrust domain plexus',
      'SpoofSIDHistory domain plexus',
    ]);
    expect(rightsOf('domain plexus')).toContain('CrossForestTrust domain OTHER.TEST');
    const coerced = run.relationships.filter(({ verb }) => verb === 'CoerceToTGT');
    expect(coerced).toHaveLength(1);
  });

  it('has what the administrators of every domain may do', () => {
    expect(rightsOf('group Domain Admins')).toEqual(
      expect.arrayContaining([
        'GenericAll user helper',
        'GenericAll ou staff',
        'Owns user helper',
        'WriteDacl domain plexus',
      ]),
    );
    expect(rightsOf('group Enterprise Admins')).toContain('GenericAll user helper, inherited');
    const replication = run.relationships.filter(({ verb }) => verb === 'DCSync').map(({ from }) => from);
    expect(replication.length).toBeGreaterThan(1);
  });

  it('reads every access list as the server itself does', async () => {
    const lists = (await server?.accessLists()) ?? [];

    expect(lists.length).toBeGreaterThan(USERS);
    for (const { bytes, owner, grants } of lists) {
      const parsed = parseSecurityDescriptor(Buffer.from(bytes, 'base64'));
      const absent = ({ objectType, inheritedType, ...rest }: AccessEntry): object => ({
        ...rest,
        objectType: objectType ?? null,
        inheritedType: inheritedType ?? null,
      });
      expect([parsed.owner, parsed.grants.map(absent)]).toEqual([owner, grants]);
    }
  });

  it('identifies entries by their objectGUID', () => {
    const user = run.entities.find(({ displayName }) => displayName === 'u00007');

    expect(user?.key).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(user?.properties).toMatchObject({
      primary_group_id: 513,
      sid: expect.stringMatching(/^S-1-5-21-/),
      dn: `CN=u00007,CN=Users,${SAMBA_BASE}`,
    });
  });
});
