import { afterEach, describe, expect, it } from '@jest/globals';
import {
  cutShort,
  type LdapAnswer,
  ldapBound,
  ldapEntry,
  ldapOverrunEntry,
  ldapPageEnd,
  type LdapScript,
  ScriptedLdapServer,
} from '#graph/testing';
import { NodeDisk } from '#platform/disk';
import { ldapConnector } from '../src/connectors/ldap/ldap-connector.ts';
import { runConnector, type TestRun } from '../src/kit/run-connector.ts';

const PASSWORD = 'correct-horse';
const user = (name: string) => ldapEntry(`uid=${name},dc=x`, { uid: [name], cn: [name] });

/** A short time-out for the silent server only; it must suffice for a connection on a busy machine. */
const SILENCE = /timed out$|^Connection timeout$/;
const SILENT_MS = 1_000;
/** Users have two pages; groups and memberships have one. */
const PAGES: readonly LdapAnswer[] = [
  [user('ann'), user('bob'), ldapPageEnd('more')],
  [user('cid'), ldapPageEnd()],
];

describe('the LDAP connector', () => {
  const servers: ScriptedLdapServer[] = [];
  afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));

  /** Every step has its own connection, which starts the script from the beginning. */
  async function runAgainst(
    script: LdapScript,
    more: object = {},
  ): Promise<TestRun & { readonly server: ScriptedLdapServer }> {
    const server = await ScriptedLdapServer.start(script);
    servers.push(server);
    const config = {
      url: server.url,
      base_dn: 'dc=x',
      bind_dn: 'cn=r',
      password_env: 'LDAP',
      page_size: 2,
      ...more,
    };
    const run = await runConnector(ldapConnector(new NodeDisk()), {
      config,
      environment: { LDAP: PASSWORD },
    });
    return { ...run, server };
  }

  it('reads all pages', async () => {
    const { entities, report } = await runAgainst({ searches: PAGES });

    expect(report.steps[0]).toMatchObject({ id: 'users', status: 'done', entities: 3 });
    expect(entities.filter(({ type }) => type === 'user').map(({ key }) => key)).toEqual([
      'uid=ann,dc=x',
      'uid=bob,dc=x',
      'uid=cid,dc=x',
    ]);
  });

  it('reads on after an empty page that has a cookie', async () => {
    const pages = [
      [user('ann'), ldapPageEnd('more')],
      [ldapPageEnd('and more')],
      [user('bob'), ldapPageEnd()],
    ];
    const { report } = await runAgainst({ searches: pages });

    expect(report.steps[0]).toMatchObject({ id: 'users', status: 'done', entities: 2 });
  });

  it('reads more entries in one answer than a call can have arguments', async () => {
    const users = Array.from({ length: 130_000 }, () => user('ann'));
    const { report } = await runAgainst({
      searches: (request) => (request.includes('givenName') ? [...users, ldapPageEnd()] : [ldapPageEnd()]),
    });

    expect(report).toMatchObject({ status: 'complete', entities: 1 });
  });

  it('does not continue on another connection, which would not be logged in', async () => {
    const group = (name: string) => ldapEntry(`cn=${name},dc=x`, { cn: [name] });
    const ranged = (name: string) => ldapEntry(`cn=${name},dc=x`, { 'member;range=0-0': ['uid=ann,dc=x'] });
    const { report, partialRelationships, server } = await runAgainst({
      searches: (request) => {
        if (request.includes('givenName')) return [user('ann'), ldapPageEnd()];
        if (request.includes('range=')) return ['hang up'];
        const isMemberships = request.includes('uniqueMember');
        return [...['a', 'b'].map(isMemberships ? ranged : group), ldapPageEnd()];
      },
    });

    expect(report).toMatchObject({ status: 'partial', partial_types: [], warning_count: 2 });
    expect(partialRelationships.map(({ key }) => key)).toEqual(['cn=a,dc=x', 'cn=b,dc=x']);
    expect(server.connections).toBe(report.steps.length);
  });

  it.each<[string, readonly LdapAnswer[], RegExp]>([
    ['hangs up before the end of a page', [[user('ann'), 'hang up']], /^Connection closed/],
    ['hangs up in the middle of an entry', [[cutShort(user('ann'), 20), 'hang up']], /^Connection closed/],
    ['hangs up between two pages', [PAGES[0] ?? [], ['hang up']], /^Connection closed/],
    ['falls silent in the middle of a page', [[user('ann')]], SILENCE],
    ['falls silent between two pages', [PAGES[0] ?? []], SILENCE],
    [
      'gives up at a size limit',
      [[user('ann'), ldapPageEnd('', 4)]],
      /^the server gives only some entries: its size limit \(LDAP 4\)$/,
    ],
    [
      'gives up at a time limit',
      [[user('ann'), ldapPageEnd('', 3, 'took too long')]],
      /time limit \(LDAP 3, took too long\)$/,
    ],
    [
      'is busy on the second page',
      [PAGES[0] ?? [], [ldapPageEnd('', 51)]],
      /^the server is busy \(LDAP 51\)$/,
    ],
    [
      'says what no LDAP server says',
      [[{ encode: () => Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n') }]],
      /^the server did not send LDAP/,
    ],
    [
      'sends an attribute that is longer than its message',
      [[ldapOverrunEntry('uid=ann,dc=x')]],
      /^the server did not send LDAP: expected a complete element$/,
    ],
    ['answers another operation', [[ldapBound()]], /^the server answered another operation/],
  ])('fails, and takes nothing for the whole, when the server %s', async (_what, searches, reason) => {
    const { report, entities } = await runAgainst(
      { searches },
      { timeout_ms: reason === SILENCE ? SILENT_MS : 60_000 },
    );

    expect(report).toMatchObject({
      status: 'failed',
      entities: 0,
      steps: [{ id: 'users', status: 'failed' }, {}, {}],
    });
    expect(report.steps[0]?.reason).toMatch(reason);
    expect(entities).toEqual([]);
  });

  it.each([
    [
      'a password that has expired',
      49,
      '80090308: LdapErr: DSID-0C09044E, comment: AcceptSecurityContext error, data 532, v3839',
      /^the server refuses the credentials: the password has expired \(LDAP 49, 8009/,
    ],
    [
      'an account that is locked',
      49,
      '80090308: LdapErr: DSID-0C09044E, comment: AcceptSecurityContext error, data 775, v3839',
      /: the account is locked \(LDAP 49, /,
    ],
    ['credentials without a word', 49, '', /^the server refuses the credentials \(LDAP 49\)$/],
    [
      'a connection in plain text',
      13,
      'TLS required',
      /^the server wants an encrypted connection \(LDAP 13, TLS required\)$/,
    ],
  ])('tells of %s', async (_what, code, diagnostic, reason) => {
    const { report } = await runAgainst({ bind: [ldapBound(code, diagnostic)], searches: PAGES });

    expect(report).toMatchObject({ status: 'failed', entities: 0 });
    expect(report.steps[0]?.reason).toMatch(reason);
    expect(JSON.stringify(report)).not.toContain(PASSWORD);
  });
});
