import type { EntityKey } from '#graph/model';
import type { Disk } from '#platform/disk';
import { countedText } from '#platform/foundation';
import { fileField } from '../../config/config-field.ts';
import { type ConnectorType, defineConnector } from '../../config/connector-type.ts';
import type { StepContext } from '../../run/step.ts';
import { fittingKey } from '../document/fitting-key.ts';
import { shownName, sourceFiles } from '../document/source-files.ts';
import { piecesOf } from '../document/source-pieces.ts';
import { named } from '../document/named-fault.ts';
import { type NmapScan, readNmapScan, type ScannedHost, type ScannedPort } from './nmap-scan.ts';

const TYPES = ['host', 'port', 'cpe'];
const VERBS = ['LISTENS_ON', 'RUNS'];

/** What one report says of a host. */
interface HostReport extends Pick<NmapScan, 'covers'> {
  readonly host: ScannedHost;
}

/** Reports of nmap: hosts that answer, with their open ports, services and CPE names. */
export function nmapConnector(disk: Disk): ConnectorType {
  return defineConnector({
    name: 'nmap',
    about: 'reports of nmap: hosts, open ports, services, operating systems, results of scripts',
    config: {
      file: fileField({
        about: 'path of a file of nmap -oX, a directory or a pattern, relative to this file',
      }),
    },
    vocabulary: {
      entities: {
        host: 'address mac name names os os_accuracy *',
        port: 'confidence extra_info host method name port product protocol service state tunnel version *',
        cpe: 'name',
      },
      relationships: { 'host LISTENS_ON port': '', 'host RUNS cpe': '', 'port RUNS cpe': '' },
    },
    steps: () => [
      {
        id: 'scan',
        description: 'hosts that answer, and their open ports',
        emits: { entities: TYPES, relationships: VERBS },
        run: async (context) => emit(context, await readScans(disk, context)),
      },
    ],
  });
}

async function readScans(
  disk: Disk,
  context: StepContext<{ readonly file: string }>,
): Promise<ReadonlyMap<string, readonly HostReport[]>> {
  const { file: source } = context.config;
  const { files, areOfDirectory } = await sourceFiles(disk, source);
  const known = new Map<string, HostReport[]>();
  for (const file of files) {
    context.signal.throwIfAborted();
    if (areOfDirectory && !file.endsWith('.xml')) {
      context.ignored('files with other names');
      continue;
    }
    const hosts: ScannedHost[] = [];
    const use = {
      onHost: (host: ScannedHost) => hosts.push(host),
      onIgnored: (kind: string, count: number) => context.ignored(kind, count),
    };
    const name = shownName(file, source);
    const { covers, fault } = await named(name, () => readNmapScan(piecesOf(disk, file), use));
    if (fault !== undefined) context.incomplete([...TYPES, ...VERBS], `${name}: ${fault}`);
    for (const host of hosts) known.set(host.key, [{ host, covers }, ...(known.get(host.key) ?? [])]);
  }
  return known;
}

function emit(context: StepContext<unknown>, hosts: ReadonlyMap<string, readonly HostReport[]>): void {
  const givenUp: string[] = [];
  for (const [key, reports] of hosts) {
    const newestFirst = reports
      .filter(({ host }) => !host.isGivenUp)
      .toSorted((a, b) => b.host.atMs - a.host.atMs);
    const [newest] = newestFirst;
    if (newest === undefined) givenUp.push(key);
    else emitHost(context, newest.host, portsOf(newestFirst));
  }
  if (givenUp.length > 0) leaveGivenUp(context, givenUp);
}

/** Of each port what the newest report says that asked it. */
function portsOf(newestFirst: readonly HostReport[]): readonly ScannedPort[] {
  const found = new Map<string, ScannedPort>();
  for (const [index, { host }] of newestFirst.entries()) {
    const newer = newestFirst.slice(0, index);
    for (const port of host.ports)
      if (!found.has(port.name) && !newer.some(({ covers }) => covers(port.protocol, port.number)))
        found.set(port.name, port);
  }
  return [...found.values()];
}

/** Hosts of which no report knows more than that nmap gave them up: what earlier runs knew is kept. */
function leaveGivenUp(context: StepContext<unknown>, keys: readonly string[]): void {
  for (const key of keys)
    context.unread({
      types: ['host', 'port'],
      keyPrefix: fittingKey(key),
      reason: `nmap gave up the host ${key} (--host-timeout): its ports are not known`,
    });
  context.incomplete(
    ['cpe', 'RUNS'],
    `the systems and services of ${countedText(keys.length, 'host')} are not known`,
  );
}

function emitHost(context: StepContext<unknown>, known: ScannedHost, ports: readonly ScannedPort[]): void {
  const host = { type: 'host', key: fittingKey(known.key) };
  context.emitEntity({
    ...host,
    class: 'Host',
    display_name: String(known.facts['name']),
    properties: known.facts,
  });
  emitCpes(context, host, known.cpes);
  for (const { name, facts, cpes } of ports) {
    const port = { type: 'port', key: fittingKey(`${known.key}/${name}`) };
    context.emitEntity({
      ...port,
      class: 'Port',
      display_name: name,
      properties: { ...facts, host: known.key },
    });
    context.emitRelationship({ from: host, verb: 'LISTENS_ON', to: port });
    emitCpes(context, port, cpes);
  }
}

function emitCpes(context: StepContext<unknown>, owner: EntityKey, cpes: readonly string[]): void {
  for (const name of cpes) {
    const cpe = { type: 'cpe', key: fittingKey(name) };
    context.emitEntity({ ...cpe, class: 'Cpe', properties: { name } });
    context.emitRelationship({ from: owner, verb: 'RUNS', to: cpe });
  }
}
