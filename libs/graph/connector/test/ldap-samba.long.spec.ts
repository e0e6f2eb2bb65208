import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { SAMBA_ADMIN, SAMBA_BASE, SAMBA_PASSWORD, sambaMissing, SambaServer } from '#graph/testing';
import { NodeDisk } from '#platform/disk';
import { ldapConnector } from '../src/connectors/ldap/ldap-connector.ts';
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
        timeout_ms: 120_000,
      },
      environment: { SAMBA_PASSWORD },
    });
  });
  afterAll(() => server?.stop());

  const membersOf = (group: string): number => {
    const found = run.entities.find(({ type, displayName }) => type !== 'user' && displayName === group);
    return run.relationships.filter(({ to }) => to.key === found?.key).length;
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

/** Reports that these tests were skipped, and why. */
