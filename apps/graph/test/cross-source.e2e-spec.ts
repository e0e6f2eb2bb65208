import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { firstPartyConnectors, readConnector, type RunRecord } from '#graph/connector';
import { isLdapInstalled, LDAP_ADMIN, LDAP_PASSWORD, LdapServer, PostgresServer } from '#graph/testing';
import { NodeDisk } from '#platform/disk';
import { TestService } from './support/test-service.ts';
import { describeUnless } from '#testing';

const BASE = 'dc=corp,dc=example';
const LDIF = [
  `dn: ${BASE}\nobjectClass: dcObject\nobjectClass: organization\no: Corp\ndc: corp\n`,
  ...['ann', 'bob', 'eve'].map(
    (name) => `dn: uid=${name},${BASE}\nobjectClass: inetOrgPerson\nuid: ${name}\ncn: ${name}\nsn: ${name}\n`,
  ),
  `dn: cn=seniors,${BASE}\nobjectClass: groupOfNames\ncn: seniors\nmember: uid=ann,${BASE}\n`,
  `dn: cn=analysts,${BASE}\nobjectClass: groupOfNames\ncn: analysts\n` +
    `member: cn=seniors,${BASE}\nmember: uid=bob,${BASE}\n`,
  `dn: cn=guests,${BASE}\nobjectClass: groupOfNames\ncn: guests\nmember: uid=eve,${BASE}\n`,
].join('\n');
const SCHEMA = `
  CREATE ROLE analysts; CREATE ROLE guests;
  CREATE TABLE customers (email text); COMMENT ON TABLE customers IS '@pii';
  CREATE TABLE prices (amount int);
  GRANT SELECT ON customers TO analysts; GRANT SELECT ON prices TO guests;
`;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const WHO_READS_PERSONAL_DATA =
  'FIND user THAT MEMBER_OF{1..5} group THAT MAPS_TO db_role THAT CAN_READ table WITH contains_pii = true';

const describeWithServers = describeUnless(
  isLdapInstalled ? undefined : 'slapd is not installed; Debian: apt-get install slapd',
);

describeWithServers('a question that no single source answers', () => {
  let ldap: LdapServer;
  let postgres: PostgresServer;
  let service: TestService;

  beforeAll(async () => {
    [ldap, postgres] = await Promise.all([LdapServer.start(LDIF), PostgresServer.start()]);
    await postgres.run('postgres', SCHEMA);
    service = await TestService.start({ connectors: connectorsOf(ldap, postgres) });
    for (const id of ['crm', 'corp']) await run(id);
  });
  afterAll(async () => {
    await service.stop();
    await Promise.all([ldap.stop(), postgres.stop()]);
  });

  async function run(id: string): Promise<void> {
    let state = (await service.json(202, 'POST', `/v1/connectors/${id}/run`)) as object as RunRecord;
    while (state.ended_at === null) {
      state = (await service.json(200, 'GET', `/v1/connectors/runs/${state.run_id}`)) as object as RunRecord;
    }
    expect([id, state.status, state.reason]).toEqual([id, 'complete', undefined]);
  }

  it('finds the users that read personal data through nested groups', async () => {
    const { entities, warnings } = await service.query(WHO_READS_PERSONAL_DATA);

    expect(entities.map(({ display_name: name }) => name).sort()).toEqual(['ann', 'bob']);
    expect(warnings).toEqual([]);
  });

  it('explains a row by a shortest path', async () => {
    const { paths } = await service.query(
      `FIND SHORTEST PATH FROM user WITH name = 'ann' TO table WITH contains_pii = true VIA RELATES TO >>`,
    );

    const [path] = paths as readonly {
      nodes?: readonly { key: string }[];
      relationships?: readonly { verb: string }[];
    }[];
    expect(path?.relationships?.map(({ verb }) => verb)).toEqual([
      'MEMBER_OF',
      'MEMBER_OF',
      'MAPS_TO',
      'CAN_READ',
    ]);
    const keys = (path?.nodes ?? []).map(({ key }) => key.replace(UUID, 'entryUUID'));
    expect(keys).toEqual([
      'entryUUID',
      'entryUUID',
      'entryUUID',
      'crm/analysts',
      'crm/postgres/public.customers',
    ]);
  });

  it('gives no warning for the classes and verbs of the connectors', async () => {
    const list = await service.json(200, 'GET', '/v1/connectors');

    const syncs = list['connectors'] as readonly { last_sync: { warnings: readonly unknown[] } }[];
    expect(syncs.map(({ last_sync: sync }) => sync.warnings)).toEqual([[], []]);
  });
});

function connectorsOf(ldap: LdapServer, postgres: PostgresServer) {
  const types = firstPartyConnectors(new NodeDisk());
  const environment = { LDAP: LDAP_PASSWORD, PG: postgres.password };
  const read = (id: string, connector: string, config: object, mappings: readonly object[] = []) =>
    readConnector(JSON.stringify({ id, connector, config, mappings }), `${id}.yaml`, { types, environment });
  const crm = {
    host: '127.0.0.1',
    port: postgres.port,
    user: 'postgres',
    password_env: 'PG',
    instance: 'crm',
  };
  const corp = { url: ldap.url, base_dn: BASE, bind_dn: LDAP_ADMIN, password_env: 'LDAP' };
  const mapping = { verb: 'MAPS_TO', from: 'group', to: 'db_role', on: 'from.name = to.name' };
  return [read('crm', 'postgres', crm), read('corp', 'ldap', corp, [mapping])];
}
