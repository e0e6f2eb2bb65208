/** Starts what this machine can start of an estate, on the loopback, each as a source of the graph. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CuttingRelay } from '../../libs/graph/testing/src/cluster/cutting-relay.ts';
import { PostgresProcess, postgresMissing } from '../../libs/graph/testing/src/cluster/postgres-process.ts';
import {
  isLdapInstalled,
  LDAP_ADMIN,
  LDAP_PASSWORD,
  LdapServer,
} from '../../libs/graph/testing/src/source/ldap-server.ts';
import { startPodman } from './estate-podman.ts';
import type { Place, Source } from './estate-source.ts';

export const SAMPLES = join(import.meta.dirname, '../../samples/estate');
export const ENVIRONMENT = { DEMO_LDAP: LDAP_PASSWORD, DEMO_CRM: PostgresProcess.password };
const BASE = 'dc=corp,dc=example';
const NMAP_MS_MAX = 30_000;
const run = promisify(execFile);

/** In the order in which they are collected: a mapping leads to what is in the graph already. */
export async function startSources(place: Place): Promise<readonly Source[]> {
  const crm = await startDatabase(place);
  const corp = await unlessMissing(place, 'directory', () => startDirectory(place));
  const engine = await unlessMissing(place, 'containers', () => startPodman(place));
  const ports = [crm, corp].flatMap((each) => each?.port ?? []);
  const network = await unlessMissing(place, 'network', () => scan(place, ports));
  const host = process.platform === 'linux' ? [HOST] : [];
  const collection = collectionOf(corp !== undefined);
  const found = [crm.source, ...FILES, corp?.source, collection, engine, network, ...host];
  return found.filter((source) => source !== undefined);
}

const FILES: readonly Source[] = [
  {
    id: 'cluster',
    about: 'Kubernetes: pods, accounts, who may forward a port',
    connector: 'kubernetes',
    config: { file: join(SAMPLES, 'cluster.yaml'), cluster: 'prod' },
    mappings: [{ verb: 'MAPS_TO', from: 'kube_service_account', to: 'db_role', on: 'from.name = to.name' }],
  },
  {
    id: 'bill',
    about: 'a bill of materials of the image of the shop',
    connector: 'sbom',
    config: { file: join(SAMPLES, 'shop.cdx.json') },
  },
  {
    id: 'known',
    about: 'advisories of OSV, with EPSS and the catalogue of CISA',
    connector: 'advisories',
    config: {
      osv: join(SAMPLES, 'advisories/osv.json'),
      epss: join(SAMPLES, 'advisories/epss.csv'),
      kev: join(SAMPLES, 'advisories/kev.json'),
    },
  },
];
const HOST: Source = {
  id: 'machine',
  about: 'this machine: packages, accounts, listening ports',
  connector: 'host',
  config: {},
};

/** Undefined, with a word why, for what cannot be started on this machine. */
async function unlessMissing<T>(place: Place, what: string, start: () => Promise<T>): Promise<T | undefined> {
  try {
    return await start();
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n');
    place.say(`skipped  ${what}: ${reason ?? ''}`);
    return undefined;
  }
}

interface Server {
  readonly source: Source;
  readonly port: number;
}

async function startDatabase({ opened, directory, say }: Place): Promise<Server> {
  const missing = postgresMissing();
  if (missing !== undefined) throw new Error(missing);
  // If this process is root, the database runs as another user, which needs access.
  await chmod(directory, 0o755);
  const database = new PostgresProcess('crm', join(directory, 'crm'), {});
  await database.initialise();
  await opened.open(
    () => database.start(),
    () => database.stop(),
  );
  await database.rows('CREATE DATABASE crm');
  const schema = readFileSync(join(SAMPLES, 'crm.sql'), 'utf8');
  await database.session('crm', (query) => query(schema));
  const { port } = await opened.open(
    () => CuttingRelay.start(database.socketPath),
    (relay) => relay.stop(),
  );
  say(`started  PostgreSQL on 127.0.0.1:${String(port)}`);
  const config = {
    host: '127.0.0.1',
    port,
    user: PostgresProcess.user,
    password_env: 'DEMO_CRM',
    instance: 'crm',
    databases: ['crm'],
  };
  return {
    source: { id: 'crm', about: 'PostgreSQL: roles, tables, rights', connector: 'postgres', config },
    port,
  };
}

async function startDirectory({ opened, say }: Place): Promise<Server> {
  if (!isLdapInstalled) throw new Error('slapd is not installed; Debian: apt-get install slapd');
  const ldif = readFileSync(join(SAMPLES, 'directory.ldif'), 'utf8');
  const { url } = await opened.open(
    () => LdapServer.start(ldif),
    (server) => server.stop(),
  );
  say(`started  OpenLDAP on ${url}`);
  const source = {
    id: 'corp',
    about: 'OpenLDAP: people and groups',
    connector: 'ldap',
    config: { url, base_dn: BASE, bind_dn: LDAP_ADMIN, password_env: 'DEMO_LDAP' },
    mappings: [{ verb: 'MAPS_TO', from: 'group', to: 'kube_group', on: 'from.name = to.name' }],
  };
  return { source, port: Number(new URL(url).port) };
}

async function scan({ directory, say }: Place, ports: readonly number[]): Promise<Source> {
  const file = join(directory, 'scan.xml');
  try {
    const args = ['-sT', '-Pn', '-p', ports.join(','), '-oX', file, '127.0.0.1'];
    await run('nmap', args, { timeout: NMAP_MS_MAX });
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw isMissing ? new Error('nmap is not installed; Debian: apt-get install nmap') : error;
  }
  say(`scanned  127.0.0.1 with nmap`);
  return { id: 'network', about: 'nmap: what listens on 127.0.0.1', connector: 'nmap', config: { file } };
}

/** Its accounts are those of the directory; without one, its own groups are those that the cluster knows. */
function collectionOf(hasDirectory: boolean): Source {
  const mapping = hasDirectory
    ? { verb: 'MAPS_TO', from: 'user', to: 'user', on: 'from.samaccountname = to.name' }
    : { verb: 'MAPS_TO', from: 'group', to: 'kube_group', on: 'from.samaccountname = to.name' };
  return {
    id: 'collection',
    about: 'a collection of SharpHound: sessions, local administrators',
    connector: 'bloodhound',
    config: { file: join(SAMPLES, 'collection') },
    mappings: [mapping],
  };
}

/** The directory of connectors of the service. */
export async function writeConnectors(directory: string, sources: readonly Source[]): Promise<void> {
  await mkdir(directory);
  for (const { id, connector, config, mappings = [] } of sources)
    await writeFile(
      join(directory, `${id}.yaml`),
      JSON.stringify({ connector, config, mappings }, undefined, 2),
    );
}
