import type { EntityInput, Properties } from '#graph/model';
import { entity, relationship, type GraphData } from './graph-data.ts';

const HOSTS = [
  host('web-01', { os: 'linux', state: 'running', region: 'us-east-1', env: 'prod', cpu: 8, owner: 'alice' }),
  host('web-02', { os: 'linux', state: 'stopped', region: 'us-east-1', env: 'prod', cpu: 4 }),
  host('db-01', { os: 'linux', state: 'running', region: 'eu-west-1', env: 'prod', cpu: 16, owner: 'bob' }),
  host('win-01', { os: 'windows', state: 'running', region: 'eu-west-1', env: 'dev', cpu: 2.5, owner: null }),
] as const;
const [web01, web02, db01, win01] = HOSTS;
const i9 = entity('aws_ec2_instance', 'Host', 'i-9', {
  os: 'linux',
  state: 'running',
  region: 'us-east-1',
  env: 'dev',
  cpu: 4,
});
const nginx = entity('service', 'Service', 'nginx', { public: true, port: 443 });
const postgres = entity('service', 'Service', 'postgres', { public: false, port: 5432 });
const logs = entity('aws_s3_bucket', 'DataStore', 'logs', { public: true, size_gb: 120.5, encrypted: false });
const customers = entity('database', 'Database', 'customers', {
  public: false,
  size_gb: 900,
  encrypted: true,
});
const alice = entity('user', 'User', 'alice', { email: 'alice@corp.com', active: true, mfa_enabled: true });
const bob = entity('user', 'User', 'bob', { email: 'bob@corp.com', active: true, mfa_enabled: false });
const carol = entity('user', 'User', 'carol', { email: 'carol@other.org', active: false });
const admin = entity('role', 'Role', 'admin', { admin: true });
const reader = entity('role', 'Role', 'reader', { admin: false });
const edr1 = entity('edr_agent', 'Agent', 'edr-1');
const dbPassword = entity('secret', 'Secret', 'db-password', { rotated_days: 400 });

/** A small estate: hosts, services, stores, users and roles, with the relationships between them. */
export const FIXTURE: GraphData = {
  entities: [
    ...HOSTS,
    i9,
    nginx,
    postgres,
    logs,
    customers,
    alice,
    bob,
    carol,
    admin,
    reader,
    edr1,
    dbPassword,
  ],
  relationships: [
    relationship(edr1, 'PROTECTS', web01),
    relationship(edr1, 'PROTECTS', db01),
    relationship(web01, 'RUNS', nginx),
    relationship(web02, 'RUNS', nginx),
    relationship(db01, 'RUNS', postgres),
    relationship(nginx, 'CONNECTS', postgres),
    relationship(postgres, 'USES', customers),
    relationship(postgres, 'USES', dbPassword),
    relationship(win01, 'CONNECTS', db01),
    relationship(alice, 'ASSIGNED', admin),
    relationship(bob, 'ASSIGNED', reader),
    relationship(carol, 'ASSIGNED', reader),
    relationship(admin, 'ALLOWS', customers),
    relationship(reader, 'ALLOWS', logs),
    relationship(reader, 'TRUSTS', admin),
    relationship(admin, 'TRUSTS', reader),
  ],
};

function host(key: string, properties: Properties): EntityInput {
  return entity('host', 'Host', key, properties);
}
