/** Rows of osquery's tables, recognised by their columns, as entities and relationships of the graph. */
import { hash } from 'node:crypto';
import type { EntityKey, PropertyValue } from '#graph/model';
import type { EntityDraft, RelationshipDraft } from '../../run/step.ts';
import { fittingKey } from '../document/fitting-key.ts';
import {
  debianSource,
  dpkgStateOf,
  type InstalledPackage,
  packageFacts,
  packageUrlOf,
} from '../host/installed-package.ts';
import { componentName } from '../sbom/component-name.ts';
import type { QueryResult, Row } from './result-log.ts';

export interface RowRecords {
  readonly entities: readonly EntityDraft[];
  readonly relationships: readonly RelationshipDraft[];
}

/** What is known of a host from several tables. */
export interface HostFacts {
  readonly key: string;
  readonly properties: Record<string, PropertyValue | undefined>;
  readonly addresses: Set<string>;
  readonly userByUid: Map<string, string>;
  readonly groupByGid: Map<string, string>;
}

/** Undefined for a row that says too little. */
type Meaning = (row: Row, host: HostFacts) => RowRecords | undefined;

const NONE: RowRecords = { entities: [], relationships: [] };

interface TableMeaning {
  readonly columns: readonly string[];
  /** Of what is common to several tables: a row with other columns than these as well is not of this one. */
  readonly others?: readonly string[];
  readonly meaning: Meaning;
}

const IDS = ['uid_signed', 'gid_signed', 'is_hidden', 'pid_with_namespace', 'include_remote'];
const USER = [...IDS, 'gid', 'groupname', 'description', 'directory', 'shell', 'uuid', 'type'];

/** A table has these columns; the first that fits counts. */
const MEANINGS: readonly TableMeaning[] = [
  { columns: ['name', 'version', 'release', 'arch', 'epoch'], meaning: rpmPackage },
  { columns: ['name', 'version', 'arch', 'revision'], meaning: debPackage },
  { columns: ['uid', 'username'], others: USER, meaning: localUser },
  { columns: ['gid', 'groupname'], others: [...IDS, 'comment'], meaning: localGroup },
  { columns: ['uid', 'gid'], others: IDS, meaning: membership },
  { columns: ['port', 'protocol', 'address'], meaning: listeningPort },
  { columns: ['id', 'load_state', 'active_state'], meaning: systemdUnit },
];

/** Learns what other rows of the host refer to; true if the row is about the host itself. */
export function learnOfHost(row: Row, host: HostFacts): boolean {
  const { properties, addresses, userByUid, groupByGid } = host;
  const { uid, username, gid, groupname } = row;
  if (uid !== undefined && username !== undefined) userByUid.set(uid, username);
  if (gid !== undefined && groupname !== undefined) groupByGid.set(gid, groupname);
  if (has(row, ['platform', 'codename', 'version'])) {
    Object.assign(properties, {
      os: row['name'],
      os_id: row['platform'],
      os_version: row['major'] ?? row['version'],
    });
    return true;
  }
  if (has(row, ['hostname', 'cpu_brand'])) {
    Object.assign(properties, { name: row['hostname'], uuid: row['uuid'], cpu: row['cpu_brand'] });
    return true;
  }
  if (has(row, ['interface', 'address', 'mask'])) {
    const address = row['address'] ?? '';
    if (row['interface'] !== 'lo' && !address.startsWith('127.')) addresses.add(address.replace(/%.*$/, ''));
    return true;
  }
  return false;
}

/** What the row says; of an unknown table, an entity of the query with its columns. */
export function recordsOf(row: Row, { query }: QueryResult, host: HostFacts): RowRecords {
  const known = MEANINGS.find(({ columns, others }) => has(row, columns) && hasOnly(row, columns, others));
  const records = known?.meaning(row, host);
  if (records !== undefined) return records;
  const type = `osquery_${query
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .slice(0, 80)}`;
  const text = JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
  const entity = { type, key: `${host.key}/${hash('sha256', text).slice(0, 32)}` };
  const name = row['name'] ?? row['path'] ?? Object.values(row)[0];
  return one(host, 'HAS', { ...entity, display_name: name?.slice(0, 200) || undefined, properties: row });
}

function has(row: Row, columns: readonly string[]): boolean {
  return columns.every((column) => row[column] !== undefined);
}

function hasOnly(row: Row, columns: readonly string[], others: readonly string[] | undefined): boolean {
  if (others === undefined) return true;
  return Object.keys(row).every((column) => columns.includes(column) || others.includes(column));
}

function debPackage(row: Row, host: HostFacts): RowRecords {
  // Packages of which only the settings are left; older versions of osquery do not state it.
  if (dpkgStateOf(row['status'])?.isPresent === false) return NONE;
  const { name = '', version = '', arch, source } = row;
  return installed(host, {
    system: 'deb',
    name,
    version,
    architecture: arch || undefined,
    ...debianSource(source),
  });
}

function rpmPackage(row: Row, host: HostFacts): RowRecords {
  const { name = '', version, release, epoch, arch, source } = row;
  return installed(host, {
    system: 'rpm',
    name,
    version: `${version}-${release}`,
    epoch: epoch === '' || epoch === '0' ? undefined : epoch,
    architecture: arch || undefined,
    source: source?.replace(/-[^-]*-[^-]*$/, '') || undefined,
  });
}

function installed(host: HostFacts, found: InstalledPackage): RowRecords {
  const { os_id: id = found.system === 'deb' ? 'debian' : 'linux', os_version: release } = host.properties;
  const system = { id: String(id), release: release === undefined ? undefined : String(release) };
  const named = componentName({ purl: packageUrlOf(found, system), plainName: undefined, isSubject: false });
  if (named === undefined) return NONE;
  const properties = packageFacts({
    ...found,
    source: found.source === found.name ? undefined : found.source,
  });
  return one(host, 'CONTAINS', { type: named.type, key: named.key, class: 'Package', properties });
}

function localUser(row: Row, host: HostFacts): RowRecords {
  const { username: name = '', uid, gid, directory: home, shell, description: comment } = row;
  const properties = { name, uid: integer(uid), gid: integer(gid), home, shell, comment, host: host.key };
  const user = { ...on(host, 'local_user', name), class: 'User', properties };
  const group = gid === undefined ? undefined : host.groupByGid.get(gid);
  const { entities, relationships } = one(host, 'HAS', user);
  if (group === undefined) return { entities, relationships };
  return { entities, relationships: [...relationships, member(host, name, group)] };
}

function localGroup({ groupname: name = '', gid }: Row, host: HostFacts): RowRecords {
  const properties = { name, gid: integer(gid), host: host.key };
  return one(host, 'HAS', { ...on(host, 'local_group', name), class: 'Group', properties });
}

/** The names of both come from other rows of the host. */
function membership({ uid = '', gid = '' }: Row, host: HostFacts): RowRecords | undefined {
  const user = host.userByUid.get(uid);
  const group = host.groupByGid.get(gid);
  if (user === undefined || group === undefined) return undefined;
  return { entities: [], relationships: [member(host, user, group)] };
}

function listeningPort(row: Row, host: HostFacts): RowRecords {
  const { port: number = '', protocol: code = '', address = '' } = row;
  const protocol = new Map([
    ['6', 'tcp'],
    ['17', 'udp'],
  ]).get(code);
  // Sockets of the machine itself have no port.
  if (protocol === undefined || number === '0' || address === '') return NONE;
  const name = `${protocol}/${address.includes(':') ? `[${address}]` : address}:${number}`;
  const exposed = !/^(?:127\.|::1$)/.test(address);
  const properties = { name, protocol, address, port: integer(number), exposed, host: host.key };
  return one(host, 'LISTENS_ON', { ...on(host, 'port', name), class: 'Port', properties });
}

function systemdUnit(row: Row, host: HostFacts): RowRecords {
  const { id: name = '', description, user, active_state: state, unit_file_state: file } = row;
  if (!name.endsWith('.service')) return NONE;
  const enabled = file === undefined || file === '' ? undefined : file === 'enabled';
  const facts = {
    name,
    description,
    user: user || undefined,
    active: state === 'active',
    enabled,
    host: host.key,
  };
  return one(host, 'HAS', { ...on(host, 'service', name), class: 'Service', properties: facts });
}

function one(host: HostFacts, verb: string, entity: EntityDraft): RowRecords {
  const { type, key } = entity;
  return {
    entities: [entity],
    relationships: [{ from: { type: 'host', key: host.key }, verb, to: { type, key } }],
  };
}

function member(host: HostFacts, user: string, group: string): RelationshipDraft {
  return { from: on(host, 'local_user', user), verb: 'MEMBER_OF', to: on(host, 'local_group', group) };
}

function on(host: HostFacts, type: string, name: string): EntityKey {
  return { type, key: fittingKey(`${host.key}/${name}`) };
}

function integer(text: string | undefined): number | undefined {
  return text !== undefined && /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
}
