import { hostname } from 'node:os';
import type { EntityKey } from '#graph/model';
import { DomainError } from '#platform/foundation';
import { type ConfigOf, optionalTextField, textField } from '../../config/config-field.ts';
import { defineConnector } from '../../config/connector-type.ts';
import type { EntityDraft, StepContext } from '../../run/step.ts';
import { DocumentValue } from '../document/document-value.ts';
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
      container_volume: 'driver name',
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
      description: 'containers with their ports and mounts, and volumes',
      dependsOn: ['images', 'networks'],
      emits: {
        entities: [
          ...['host', 'container', 'container_image', 'container_network', 'container_volume', 'host_path'],
          'port',
        ],
        relationships: ['RUNS', 'CONNECTS', 'MOUNTS', 'LISTENS_ON'],
      },
      run: emitContainers,
    },
  ],
});

async function emitImages(context: Context): Promise<void> {
  const emitted = new Set<string>();
  for (const image of await listOf(engineOf(context), '/images/json')) {
    const names = [
      withAlgorithm(image.required('Id')),
      ...image.texts('RepoDigests'),
      ...image.texts('RepoTags'),
    ];
    const created = image.number('Created');
    const records = imageRecords(
      names.filter((name) => !name.includes('<none>')),
      {
        size: image.number('Size'),
        created: created === undefined ? undefined : new Date(created * 1_000).toISOString(),
      },
    );
    if (records === undefined) throw image.fault('Id', 'expected the digest of an image');
    for (const entity of records.entities) {
      if (emitted.has(entity.key)) continue;
      emitted.add(entity.key);
      context.emitEntity(entity);
    }
    for (const relationship of records.relationships) context.emitRelationship(relationship);
  }
}

async function emitNetworks(context: Context): Promise<void> {
  for (const network of await listOf(engineOf(context), '/networks')) {
    const name = network.required('Name');
    const properties = {
      name,
      driver: network.text('Driver'),
      internal: network.flag('Internal') === true,
    };
    context.emitEntity({ ...networkOf(context, name), class: 'Network', properties });
  }
}

async function emitVolumes(context: Context, engine: EngineSocket): Promise<void> {
  const path = '/volumes';
  const answer = DocumentValue.of(await engine.get(path), path);
  for (const volume of answer.objects('Volumes')) {
    const name = volume.required('Name');
    const properties = { name, driver: volume.text('Driver') };
    context.emitEntity({
      ...volumeOf(context, name),
      class: 'Volume',
      display_name: shown(name),
      properties,
    });
  }
  // A driver that does not answer.
  for (const reason of answer.texts('Warnings'))
    context.incomplete(['container_volume'], `not all volumes are listed: ${reason.slice(0, 200)}`);
}

async function emitContainers(context: Context): Promise<void> {
  const name = hostOf(context);
  const host = { type: 'host', key: name };
  context.emitEntity({ ...host, class: 'Host', properties: { name } });
  const engine = engineOf(context);
  await emitVolumes(context, engine);
  const list = await listOf(engine, '/containers/json?all=1');
  for (const [done, each] of list.entries()) {
    context.progress({ done, total: list.length });
    const path = `/containers/${encodeURIComponent(each.required('Id'))}/json`;
    const found = await engine.get(path);
    if (found === undefined) context.ignored('containers that ended meanwhile');
    else emitContainer(context, host, DocumentValue.of(found, path));
  }
}

function emitContainer(context: Context, host: EntityKey, found: DocumentValue): void {
  const container = { type: 'container', key: found.required('Id') };
  context.emitEntity(containerEntity(container, found));
  context.emitRelationship({ from: host, verb: 'RUNS', to: container });
  const image = imageOf(context, found);
  if (image !== undefined) context.emitRelationship({ from: container, verb: 'RUNS', to: image });
  emitPorts(context, container, found.at('NetworkSettings', 'Ports'));
  for (const name of Object.keys(found.at('NetworkSettings', 'Networks').value)) {
    const to = networkOf(context, name);
    // Some engines do not list the networks of others, and one may be made meanwhile.
    if (!context.has(to.type, to.key)) context.emitEntity({ ...to, class: 'Network', properties: { name } });
    context.emitRelationship({ from: container, verb: 'CONNECTS', to });
  }
  for (const mount of found.objects('Mounts')) emitMount(context, container, mount);
}

/**
 * By its id, which stays when a tag goes to another image. An image that the engine does not list, such as a
 * layer of a build or one that was removed by force, is known by its id alone. A container of Podman may have
 * a directory instead of an image.
 */
function imageOf(context: Context, found: DocumentValue): EntityKey | undefined {
  const id = found.text('Image');
  if (id === undefined) return undefined;
  const image = imageRecords([withAlgorithm(id)]);
  if (image === undefined) throw found.fault('Image', 'expected the digest of an image');
  for (const entity of image.entities) if (!context.has(entity.type, entity.key)) context.emitEntity(entity);
  return image.image;
}

function containerEntity(container: EntityKey, found: DocumentValue): EntityDraft {
  const config = found.object('Config');
  const limits = found.object('HostConfig');
  const name = found.text('Name')?.replace(/^\//, '');
  // The values may be secrets.
  const names = config.texts('Env').map((each) => each.replace(/=.*$/s, ''));
  const labels = Array.from(config.object('Labels').textFields(), ([label, value]) => `${label}=${value}`);
  return {
    ...container,
    class: 'Container',
    display_name: name,
    properties: {
      name,
      image: config.text('Image'),
      state: found.object('State').text('Status'),
      created: found.text('Created'),
      command: found.text('Path'),
      user: config.text('User'),
      privileged: limits.flag('Privileged') === true,
      capabilities: filled(limits.texts('CapAdd')),
      read_only: limits.flag('ReadonlyRootfs') === true,
      network_mode: limits.text('NetworkMode'),
      pid_mode: limits.text('PidMode'),
      env_names: filled([...new Set(names)].sort()),
      labels: filled(labels.sort()),
    },
  };
}

/** `{"80/tcp": [{"HostIp": "", "HostPort": "8080"}]}`; null for a port that is not published. */
function emitPorts(context: Context, container: EntityKey, ports: DocumentValue): void {
  for (const name of Object.keys(ports.value)) {
    const [, number = '', protocol = ''] = /^(\d{1,5})\/([a-z]+)$/.exec(name) ?? [];
    if (number === '') throw ports.fault(name, 'expected a port with its protocol, such as 80/tcp');
    const bindings = ports.has(name) ? ports.objects(name) : [undefined];
    for (const [index, binding] of bindings.entries()) {
      const suffix = index === 0 ? '' : `/${index}`;
      const port = { type: 'port', key: `${container.key}/${protocol}/${number}${suffix}` };
      const label = `${protocol}/${number}`;
      const properties = { name: label, protocol, port: Number(number), ...publishedAt(binding) };
      context.emitEntity({ ...port, class: 'Port', display_name: label, properties });
      context.emitRelationship({ from: container, verb: 'LISTENS_ON', to: port });
    }
  }
}

function publishedAt(binding: DocumentValue | undefined): EntityDraft['properties'] {
  const address = binding?.text('HostIp');
  const published = binding?.text('HostPort');
  return {
    host_address: address,
    host_port: published === undefined ? undefined : Number(published),
    // An empty address is every one of the machine.
    exposed: published !== undefined && !/^(?:127\.|::1$)/.test(address ?? ''),
  };
}

function emitMount(context: Context, container: EntityKey, mount: DocumentValue): void {
  const isVolume = mount.text('Type') === 'volume';
  const name = mount.text(isVolume ? 'Name' : 'Source');
  if (name === undefined) return;
  const to = isVolume
    ? volumeOf(context, name)
    : { type: 'host_path', key: fittingKey(`${hostOf(context)}/${name}`) };
  // A volume may be made meanwhile.
  if (!context.has(to.type, to.key))
    context.emitEntity({
      ...to,
      class: isVolume ? 'Volume' : 'Path',
      display_name: shown(name),
      properties: { name },
    });
  const destination = mount.text('Destination');
  const properties = { destination, read_only: mount.flag('RW') === false };
  context.emitRelationship({ from: container, verb: 'MOUNTS', to, key: destination, properties });
}

/** Podman 3 states some ids without it. */
function withAlgorithm(id: string): string {
  return /^[0-9a-f]{64}$/.test(id) ? `sha256:${id}` : id;
}

function engineOf({ config, signal }: Context): EngineSocket {
  return new EngineSocket(config.socket, signal);
}

async function listOf(engine: EngineSocket, path: string): Promise<readonly DocumentValue[]> {
  const found = await engine.get(path);
  if (Array.isArray(found)) return found.map((each, index) => DocumentValue.of(each, `${path}[${index}]`));
  throw new DomainError('INVALID_REQUEST', `expected a list of ${path}, got something else`);
}

function hostOf({ config }: Context): string {
  return config.host ?? hostname();
}

function networkOf(context: Context, name: string): EntityKey {
  return { type: 'container_network', key: fittingKey(`${hostOf(context)}/${name}`) };
}

function volumeOf(context: Context, name: string): EntityKey {
  return { type: 'container_volume', key: fittingKey(`${hostOf(context)}/${name}`) };
}

function shown(name: string): string {
  return name.slice(0, 200);
}

function filled(values: readonly string[]): readonly string[] | undefined {
  return values.length === 0 ? undefined : values;
}
