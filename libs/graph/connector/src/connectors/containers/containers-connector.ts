import { hostname } from 'node:os';
import type { EntityKey, JsonObject } from '#graph/model';
import { DomainError } from '#platform/foundation';
import { type ConfigOf, optionalTextField, textField } from '../../config/config-field.ts';
import { defineConnector } from '../../config/connector-type.ts';
import type { EntityDraft, StepContext } from '../../run/step.ts';
import { fittingKey } from '../document/fitting-key.ts';
import { imageRecords } from '../image/container-image.ts';
import { EngineSocket } from './engine-socket.ts';

const CONFIG = {
  socket: textField({ about: 'path of the socket of Docker or Podman', fallback: '/var/run/docker.sock' }),
  host: optionalTextField('name of the machine; by default its host name'),
};

type Context = StepContext<ConfigOf<typeof CONFIG>>;

/** The containers, images, networks and volumes of an engine. Of environments, the names only. */
export const containersConnector = defineConnector({
  name: 'containers',
  about: 'containers and images of Docker or Podman, by the socket of its API',
  config: CONFIG,
  vocabulary: {
    entities: {
      host: 'name',
      container:
        'capabilities command created env_names image labels name network_mode pid_mode privileged read_only state user',
      container_image: 'created digest name repository size tag',
      container_network: 'driver internal name',
      container_volume: 'name',
      host_path: 'name',
      port: 'exposed host_address host_port name port protocol',
    },
    relationships: {
      'host RUNS container': '',
      'container RUNS container_image': '',
      'container_image MAPS_TO container_image': '',
      'container CONNECTS container_network': '',
      'container MOUNTS container_volume': 'destination read_only',
      'container MOUNTS host_path': 'destination read_only',
      'container LISTENS_ON port': '',
    },
  },
  steps: () => [
    {
      id: 'images',
      emits: { entities: ['container_image'], relationships: ['MAPS_TO'] },
      run: emitImages,
    },
    {
      id: 'networks',
      emits: { entities: ['container_network'] },
      run: emitNetworks,
    },
    {
      id: 'containers',
      description: 'containers with their ports and mounts',
      dependsOn: ['images', 'networks'],
      emits: {
        entities: ['host', 'container', 'container_volume', 'host_path', 'port'],
        relationships: ['RUNS', 'CONNECTS', 'MOUNTS', 'LISTENS_ON'],
      },
      run: emitContainers,
    },
  ],
});

async function emitImages(context: Context): Promise<void> {
  const emitted = new Set<string>();
  for (const image of await listOf(context, '/images/json')) {
    const names = [...texts([image['Id']]), ...texts(image['RepoDigests']), ...texts(image['RepoTags'])];
    const created =
      typeof image['Created'] === 'number' ? new Date(image['Created'] * 1_000).toISOString() : undefined;
    const records = imageRecords(
      names.filter((name) => !name.includes('<none>')),
      {
        size: typeof image['Size'] === 'number' ? image['Size'] : undefined,
        created,
      },
    );
    if (records === undefined) context.ignored('images without a name');
    for (const entity of records?.entities ?? []) {
      if (emitted.has(entity.key)) continue;
      emitted.add(entity.key);
      context.emitEntity(entity);
    }
    for (const relationship of records?.relationships ?? []) context.emitRelationship(relationship);
  }
}

async function emitNetworks(context: Context): Promise<void> {
  for (const { Name: name, Driver: driver, Internal: internal } of await listOf(context, '/networks')) {
    const network = networkOf(context, text(name) ?? '');
    const properties = { name: text(name), driver: text(driver), internal: internal === true };
    context.emitEntity({ ...network, class: 'Network', properties });
  }
}

async function emitContainers(context: Context): Promise<void> {
  const name = hostOf(context);
  const host = { type: 'host', key: name };
  context.emitEntity({ ...host, class: 'Host', properties: { name } });
  const engine = new EngineSocket(context.config.socket, context.signal);
  const list = await listOf(context, '/containers/json?all=1');
  for (const [done, { Id: id }] of list.entries()) {
    context.progress({ done, total: list.length });
    const found = await engine.get(`/containers/${encodeURIComponent(text(id) ?? '')}/json`);
    if (found === undefined) context.ignored('containers that ended meanwhile');
    else emitContainer(context, host, object(found));
  }
}

function emitContainer(context: Context, host: EntityKey, found: JsonObject): void {
  const id = text(found['Id']);
  if (id === undefined) throw new DomainError('INVALID_REQUEST', 'expected a container with an "Id"');
  const container = { type: 'container', key: id };
  context.emitEntity(containerEntity(container, found));
  context.emitRelationship({ from: host, verb: 'RUNS', to: container });
  const image = imageOf(context, found);
  if (image !== undefined) context.emitRelationship({ from: container, verb: 'RUNS', to: image });
  emitPorts(context, container, object(object(found['NetworkSettings'])['Ports']));
  for (const network of Object.keys(object(object(found['NetworkSettings'])['Networks']))) {
    const to = networkOf(context, network);
    if (context.has(to.type, to.key)) context.emitRelationship({ from: container, verb: 'CONNECTS', to });
  }
  for (const mount of list(found['Mounts'])) emitMount(context, container, mount);
}

/** By its id, which stays when a tag goes to another image; that of a digest if the engine knows one. */
function imageOf(context: Context, found: JsonObject): EntityKey | undefined {
  const id = text(found['Image']);
  const named = imageRecords(
    [id, text(object(found['Config'])['Image'])].filter((each) => each !== undefined),
  );
  return named?.entities.find(({ type, key }) => context.has(type, key));
}

function containerEntity(container: EntityKey, found: JsonObject): EntityDraft {
  const config = object(found['Config']);
  const limits = object(found['HostConfig']);
  const name = text(found['Name'])?.replace(/^\//, '');
  // The values may be secrets.
  const names = texts(config['Env']).map((each) => each.replace(/=.*$/s, ''));
  const labels = Object.entries(object(config['Labels'])).map(
    ([label, value]) => `${label}=${String(value)}`,
  );
  return {
    ...container,
    class: 'Container',
    display_name: name,
    properties: {
      name,
      image: text(config['Image']),
      state: text(object(found['State'])['Status']),
      created: text(found['Created']),
      command: text(found['Path']),
      user: text(config['User']),
      privileged: limits['Privileged'] === true,
      capabilities: filled(texts(limits['CapAdd'])),
      read_only: limits['ReadonlyRootfs'] === true,
      network_mode: text(limits['NetworkMode']),
      pid_mode: text(limits['PidMode']),
      env_names: filled([...new Set(names)].sort()),
      labels: filled(labels.sort()),
    },
  };
}

/** `{"80/tcp": [{"HostIp": "", "HostPort": "8080"}]}`; null for a port that is not published. */
function emitPorts(context: Context, container: EntityKey, ports: JsonObject): void {
  for (const [name, bindings] of Object.entries(ports)) {
    const [, number = '', protocol = ''] = /^(\d{1,5})\/([a-z]+)$/.exec(name) ?? [];
    if (number === '') continue;
    for (const [index, binding] of (bindings === null ? [{}] : list(bindings)).entries()) {
      const address = text(binding['HostIp']);
      const published = text(binding['HostPort']);
      const suffix = index === 0 ? '' : `/${index}`;
      const port = { type: 'port', key: `${container.key}/${protocol}/${number}${suffix}` };
      const properties = {
        name: `${protocol}/${number}`,
        protocol,
        port: Number(number),
        host_address: address,
        host_port: published === undefined ? undefined : Number(published),
        // An empty address is every one of the machine.
        exposed: published !== undefined && !/^(?:127\.|::1$)/.test(address ?? ''),
      };
      context.emitEntity({ ...port, class: 'Port', display_name: properties.name, properties });
      context.emitRelationship({ from: container, verb: 'LISTENS_ON', to: port });
    }
  }
}

function emitMount(context: Context, container: EntityKey, mount: JsonObject): void {
  const isVolume = mount['Type'] === 'volume';
  const name = text(isVolume ? mount['Name'] : mount['Source']);
  if (name === undefined) return;
  const to = {
    type: isVolume ? 'container_volume' : 'host_path',
    key: fittingKey(`${hostOf(context)}/${name}`),
  };
  const destination = text(mount['Destination']);
  context.emitEntity({
    ...to,
    class: isVolume ? 'Volume' : 'Path',
    display_name: name.slice(0, 200),
    properties: { name },
  });
  const properties = { destination, read_only: mount['RW'] === false };
  context.emitRelationship({ from: container, verb: 'MOUNTS', to, key: destination, properties });
}

async function listOf(context: Context, path: string): Promise<readonly JsonObject[]> {
  const found = await new EngineSocket(context.config.socket, context.signal).get(path);
  if (Array.isArray(found)) return found.map(object);
  throw new DomainError('INVALID_REQUEST', `expected a list of ${path}, got something else`);
}

function hostOf({ config }: Context): string {
  return config.host ?? hostname();
}

function networkOf(context: Context, name: string): EntityKey {
  return { type: 'container_network', key: fittingKey(`${hostOf(context)}/${name}`) };
}

function object(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

function list(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(object) : [];
}

/** Undefined for an empty text: engines state it for nothing. */
function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function filled(values: readonly string[]): readonly string[] | undefined {
  return values.length === 0 ? undefined : values;
}
