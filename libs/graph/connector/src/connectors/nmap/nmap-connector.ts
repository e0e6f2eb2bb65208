import type { EntityKey } from '#graph/model';
import type { Disk } from '#platform/disk';
import { fileField } from '../../config/config-field.ts';
import { type ConnectorType, defineConnector } from '../../config/connector-type.ts';
import type { StepContext } from '../../run/step.ts';
import { fittingKey } from '../document/fitting-key.ts';
import { shownName, sourceFiles } from '../document/source-files.ts';
import { piecesOf } from '../document/source-pieces.ts';
import { named } from '../document/named-fault.ts';
import { readNmapScan, type ScannedHost, type ScannedPort } from './nmap-scan.ts';

const TYPES = ['host', 'port', 'cpe'];
const VERBS = ['LISTENS_ON', 'RUNS'];

/** What the newest scans say of one host. */
interface KnownHost {
  newest: ScannedHost;
  /** The ports of each protocol, by the newest scan of it. */
  readonly byProtocol: Map<string, { readonly atMs: number; readonly ports: readonly ScannedPort[] }>;
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
): Promise<ReadonlyMap<string, KnownHost>> {
  const { file: source } = context.config;
  const { files, areOfDirectory } = await sourceFiles(disk, source);
  const known = new Map<string, KnownHost>();
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
    const { protocols, fault } = await named(name, () => readNmapScan(piecesOf(disk, file), use));
    if (fault !== undefined) context.incomplete([...TYPES, ...VERBS], `${name}: ${fault}`);
    for (const host of hosts) learn(known, host, protocols);
  }
  return known;
}

function learn(known: Map<string, KnownHost>, host: ScannedHost, protocols: readonly string[]): void {
  const before: KnownHost = known.get(host.key) ?? { newest: host, byProtocol: new Map() };
  if (host.atMs >= before.newest.atMs) before.newest = host;
  for (const protocol of new Set([...protocols, ...host.ports.map((port) => port.protocol)])) {
    const { atMs = 0 } = before.byProtocol.get(protocol) ?? {};
    const ports = host.ports.filter((port) => port.protocol === protocol);
    if (host.atMs >= atMs) before.byProtocol.set(protocol, { atMs: host.atMs, ports });
  }
  known.set(host.key, before);
}

function emit(context: StepContext<unknown>, hosts: ReadonlyMap<string, KnownHost>): void {
  for (const { newest, byProtocol } of hosts.values()) {
    const host = { type: 'host', key: fittingKey(newest.key) };
    context.emitEntity({
      ...host,
      class: 'Host',
      display_name: String(newest.facts['name']),
      properties: newest.facts,
    });
    emitCpes(context, host, newest.cpes);
    for (const { name, facts, cpes } of Array.from(byProtocol.values(), ({ ports }) => ports).flat()) {
      const port = { type: 'port', key: fittingKey(`${newest.key}/${name}`) };
      context.emitEntity({
        ...port,
        class: 'Port',
        display_name: name,
        properties: { ...facts, host: newest.key },
      });
      context.emitRelationship({ from: host, verb: 'LISTENS_ON', to: port });
      emitCpes(context, port, cpes);
    }
  }
}

function emitCpes(context: StepContext<unknown>, owner: EntityKey, cpes: readonly string[]): void {
  for (const name of cpes) {
    const cpe = { type: 'cpe', key: fittingKey(name) };
    context.emitEntity({ ...cpe, class: 'Cpe', properties: { name } });
    context.emitRelationship({ from: owner, verb: 'RUNS', to: cpe });
  }
}
