import { resolve, sep } from 'node:path';
import type { EntityKey } from '#graph/model';
import type { Disk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { type ConfigOf, fileField, optionalTextField } from '../../config/config-field.ts';
import { type ConnectorType, defineConnector } from '../../config/connector-type.ts';
import type { Step, StepContext } from '../../run/step.ts';
import { componentName } from '../sbom/component-name.ts';
import { canLogIn, readAccounts, readGroups } from './accounts.ts';
import { HostFiles } from './host-files.ts';
import { packageFacts, packageUrlOf } from './installed-package.ts';
import { installedPackages } from './installed-packages.ts';
import { type ListeningPort, readListeningPorts } from './listening-ports.ts';
import { readUnits } from './service-units.ts';
import { readInterfaces, readSystem } from './system-facts.ts';

const CONFIG = {
  root: fileField({ about: 'directory of the files of the machine; by default this one', fallback: sep }),
  name: optionalTextField('name of the machine; by default its host name'),
};

type HostConfig = ConfigOf<typeof CONFIG>;
type HostContext = StepContext<HostConfig>;

const PACKAGE = 'architecture epoch license name source_name source_version state version';
const VOCABULARY = {
  entities: {
    host: 'addresses kernel name os os_id os_version',
    network_interface: 'addresses mac name state',
    deb_package: PACKAGE,
    rpm_package: PACKAGE,
    apk_package: PACKAGE,
    local_user: 'can_login comment gid home host name shell uid',
    local_group: 'gid host name',
    service: 'description enabled host masked name program user',
    port: 'address exposed host name port process program protocol user',
  },
  relationships: {
    'host HAS_INTERFACE network_interface': '',
    'host CONTAINS *_package': '',
    'host HAS local_user': '',
    'host HAS local_group': '',
    'local_user MEMBER_OF local_group': 'primary',
    'host HAS service': '',
    'service RUNS_AS local_user': '',
    'host LISTENS_ON port': '',
    'service LISTENS_ON port': '',
  },
};

/** One machine by its files: nothing is executed, and no rights of an administrator are needed. */
export function hostConnector(disk: Disk): ConnectorType {
  return defineConnector({
    name: 'host',
    about: 'packages, services, accounts, interfaces and listening ports of a machine, by its files',
    config: CONFIG,
    vocabulary: VOCABULARY,
    steps: (config) => stepsOf(() => new HostFiles(disk, resolve(config.root))),
  });
}

/** Each step reads the files anew. */
function stepsOf(open: () => HostFiles): readonly Step<HostConfig>[] {
  const steps: readonly Step<HostConfig>[] = [
    {
      id: 'system',
      emits: { entities: ['host', 'network_interface'], relationships: ['HAS_INTERFACE'] },
      isNeverEmpty: true,
      run: (context) => emitSystem(context, open()),
    },
    {
      id: 'packages',
      emits: { entities: ['deb_package', 'rpm_package', 'apk_package'], relationships: ['CONTAINS'] },
      isNeverEmpty: true,
      run: (context) => emitPackages(context, open()),
    },
    {
      id: 'accounts',
      description: 'users and groups of the machine itself',
      emits: { entities: ['local_user', 'local_group'], relationships: ['HAS', 'MEMBER_OF'] },
      isNeverEmpty: true,
      run: (context) => emitAccounts(context, open()),
    },
    {
      id: 'services',
      description: 'units of systemd',
      dependsOn: ['accounts'],
      emits: { entities: ['service'], relationships: ['HAS', 'RUNS_AS'] },
      run: (context) => emitServices(context, open()),
    },
    {
      id: 'ports',
      description: 'what listens, on a running machine',
      dependsOn: ['services'],
      emits: { entities: ['port'], relationships: ['LISTENS_ON'] },
      run: (context) => emitPorts(context, open()),
    },
  ];
  return steps.map((step) =>
    step.id === 'system' ? step : { ...step, dependsOn: ['system', ...(step.dependsOn ?? [])] },
  );
}

async function emitSystem(context: HostContext, files: HostFiles): Promise<void> {
  const system = await readSystem(files);
  const name = context.config.name ?? system.name;
  if (name === undefined)
    throw new DomainError(
      'INVALID_REQUEST',
      'expected the name of the machine in etc/hostname, or as "name" in config',
    );
  const interfaces = await readInterfaces(files);
  const host = { type: 'host', key: name };
  const addresses = interfaces.flatMap((each) => each.addresses);
  const { osName, osId, osVersion, kernel } = system;
  const found = addresses.length === 0 ? undefined : addresses;
  const properties = { name, os: osName, os_id: osId, os_version: osVersion, kernel, addresses: found };
  context.emitEntity({ ...host, class: 'Host', properties });
  for (const { name: label, mac, state, addresses: own } of interfaces) {
    const to = { type: 'network_interface', key: `${name}/${label}` };
    const facts = { name: label, mac, state, addresses: own.length === 0 ? undefined : own };
    context.emitEntity({ ...to, class: 'Interface', properties: facts });
    context.emitRelationship({ from: host, verb: 'HAS_INTERFACE', to });
  }
}

/** Emitted by the first step. */
function hostOf(context: HostContext): EntityKey {
  const [host] = context.entities('host');
  if (host === undefined) throw new DomainError('NOT_FOUND', 'the machine has no name');
  return { type: host.type, key: host.key };
}

async function emitPackages(context: HostContext, files: HostFiles): Promise<void> {
  const host = hostOf(context);
  const { osId: id, osVersion: release } = await readSystem(files);
  const emitted = new Set<string>();
  for (const each of await installedPackages(files, context)) {
    const purl = packageUrlOf(each, { id, release });
    const found = componentName({ purl, plainName: undefined, isSubject: false });
    if (found === undefined || emitted.has(found.key)) continue;
    emitted.add(found.key);
    const to = { type: found.type, key: found.key };
    const label = `${each.name} ${each.version}`;
    context.emitEntity({ ...to, class: 'Package', display_name: label, properties: packageFacts(each) });
    context.emitRelationship({ from: host, verb: 'CONTAINS', to });
  }
}

async function emitAccounts(context: HostContext, files: HostFiles): Promise<void> {
  const host = hostOf(context);
  const onFault = (reason: string): void =>
    context.incomplete(['local_user', 'local_group', 'HAS', 'MEMBER_OF'], reason);
  const groups = await readGroups(files, onFault);
  const accounts = await readAccounts(files, onFault);
  const names = new Set(accounts.map(({ name }) => name));
  for (const { name, gid, members } of groups) {
    const group = keyOn(host, 'local_group', name);
    context.emitEntity({ ...group, class: 'Group', properties: { name, gid, host: host.key } });
    context.emitRelationship({ from: host, verb: 'HAS', to: group });
    for (const member of members) {
      const reason = `the group ${name} has a member that is no account of the machine: ${member}`;
      if (!names.has(member)) context.external({ owner: group, end: 'to', verb: 'MEMBER_OF', reason });
    }
  }
  for (const account of accounts) {
    const { name, uid, gid, comment, home, shell } = account;
    const user = keyOn(host, 'local_user', name);
    const facts = { name, uid, gid, comment, home, shell, can_login: canLogIn(account), host: host.key };
    context.emitEntity({ ...user, class: 'User', properties: facts });
    context.emitRelationship({ from: host, verb: 'HAS', to: user });
    for (const group of groups) {
      const primary = group.gid === gid;
      if (!primary && !group.members.includes(name)) continue;
      const to = keyOn(host, 'local_group', group.name);
      context.emitRelationship({ from: user, verb: 'MEMBER_OF', to, properties: { primary } });
    }
  }
}

async function emitServices(context: HostContext, files: HostFiles): Promise<void> {
  const host = hostOf(context);
  for (const unit of await readUnits(files)) {
    const { name, description, user, program, isEnabled, isMasked } = unit;
    const service = keyOn(host, 'service', name);
    if (unit.isUnread) {
      const reason = `the files of the service ${name} may not be read`;
      context.unread({ types: ['service'], keyPrefix: service.key, reason });
      continue;
    }
    const facts = { name, description, user, program, enabled: isEnabled, masked: isMasked, host: host.key };
    context.emitEntity({ ...service, class: 'Service', display_name: name, properties: facts });
    context.emitRelationship({ from: host, verb: 'HAS', to: service });
    const account = keyOn(host, 'local_user', user ?? 'root');
    const isKnown = user !== undefined || !unit.hasOwnUser;
    if (!isMasked && isKnown && context.has(account.type, account.key))
      context.emitRelationship({ from: service, verb: 'RUNS_AS', to: account });
  }
}

async function emitPorts(context: HostContext, files: HostFiles): Promise<void> {
  const host = hostOf(context);
  const ports = await readListeningPorts(files);
  const users = new Map<unknown, string>();
  for (const { properties } of context.entities('local_user'))
    users.set(properties['uid'], String(properties['name']));
  for (const each of ports ?? []) {
    const port = keyOn(host, 'port', portName(each));
    const { protocol, address, port: number, process, program, uid, unit } = each;
    const properties = {
      name: portName(each),
      protocol,
      address,
      port: number,
      exposed: !/^(?:127\.|::1$)/.test(address),
      process,
      program,
      user: users.get(uid) ?? String(uid),
      host: host.key,
    };
    if (process === undefined) context.ignored('processes of ports of other users');
    context.emitEntity({ ...port, class: 'Port', display_name: portName(each), properties });
    context.emitRelationship({ from: host, verb: 'LISTENS_ON', to: port });
    const service = keyOn(host, 'service', unit ?? '');
    if (unit !== undefined && context.has(service.type, service.key))
      context.emitRelationship({ from: service, verb: 'LISTENS_ON', to: port });
  }
}

/** `tcp/127.0.0.1:5432`, `tcp/[::]:22`. */
function portName({ protocol, address, port }: ListeningPort): string {
  return `${protocol}/${address.includes(':') ? `[${address}]` : address}:${port}`;
}

function keyOn(host: EntityKey, type: string, name: string): EntityKey {
  return { type, key: `${host.key}/${name}` };
}
