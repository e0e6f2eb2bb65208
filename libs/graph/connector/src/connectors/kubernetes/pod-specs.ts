/** What pods run, as whom, and what they may do to their node. */
import type { DocumentValue } from '../document/document-value.ts';
import type { Facts } from '../document/record-set.ts';
import { imageKey, imageRecords, parseImageName } from '../image/container-image.ts';
import { type ClusterRecords, factsOfKind, type KindName, type KubeObject } from './kubernetes-objects.ts';
import type { Labels } from './label-selector.ts';

/** The path to what describes the pods of a workload: their metadata and specification. */
const TEMPLATES: Partial<Record<KindName, readonly string[]>> = {
  Pod: [],
  CronJob: ['spec', 'jobTemplate', 'spec', 'template'],
  DaemonSet: ['spec', 'template'],
  Deployment: ['spec', 'template'],
  Job: ['spec', 'template'],
  ReplicaSet: ['spec', 'template'],
  ReplicationController: ['spec', 'template'],
  StatefulSet: ['spec', 'template'],
};
const CONTAINERS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** The specification of the pods of a workload; undefined for another kind. */
export function podSpecOf({ kind, value }: KubeObject): DocumentValue | undefined {
  const path = TEMPLATES[kind];
  return path && value.at(...path, 'spec');
}

/** The labels of the pods of a workload. */
export function podLabelsOf({ kind, value }: KubeObject): Labels {
  return value.at(...(TEMPLATES[kind] ?? []), 'metadata', 'labels').textFields();
}

export function readPods(cluster: ClusterRecords, object: KubeObject, spec: DocumentValue): void {
  const { namespace, key, kind, value } = object;
  const containers = CONTAINERS.flatMap((name) => spec.objects(name));
  cluster.records.entity(key, factsOfKind(kind).class, {
    ...powersOf(spec, containers),
    replicas: value.object('spec').number('replicas'),
    phase: kind === 'Pod' ? value.object('status').text('phase') : undefined,
    pod_ip: kind === 'Pod' ? value.object('status').text('podIP') : undefined,
  });
  const account = spec.text('serviceAccountName') ?? spec.text('serviceAccount') ?? 'default';
  cluster.records.relate(key, 'USES', cluster.named('ServiceAccount', namespace, account));
  const node = spec.text('nodeName');
  if (node !== undefined) cluster.records.relate(cluster.named('Node', '', node), 'RUNS', key);
  readImages(cluster, object, containers);
  for (const { kind: other, name, by } of referencesOf(spec, containers))
    cluster.records.relate(key, 'USES', cluster.named(other, namespace, name), { by });
}

/**
 * What lets a container reach beyond itself; absent is false. Where nothing says as whom a container runs,
 * its image decides.
 */
function powersOf(spec: DocumentValue, containers: readonly DocumentValue[]): Facts {
  const contexts = containers.map((each) => each.object('securityContext'));
  const paths = spec.objects('volumes').flatMap((each) => each.object('hostPath').text('path') ?? []);
  const ports = containers
    .flatMap((each) => each.objects('ports'))
    .flatMap((each) => each.number('hostPort') || []);
  const added = contexts.flatMap((each) => each.object('capabilities').texts('add'));
  const asRoot = contexts.map((context) => isRoot(context, spec.object('securityContext')));
  const escalates = contexts.some((each) => each.flag('allowPrivilegeEscalation') !== false);
  return {
    privileged: contexts.some((each) => each.flag('privileged') === true),
    allows_escalation: escalates,
    runs_as_root: asRoot.includes(true) || (asRoot.includes(undefined) ? undefined : false),
    host_network: spec.flag('hostNetwork') === true,
    host_pid: spec.flag('hostPID') === true,
    host_ipc: spec.flag('hostIPC') === true,
    host_ports: ports.length === 0 ? undefined : [...new Set(ports)].sort((a, b) => a - b),
    host_paths: paths.length === 0 ? undefined : [...new Set(paths)].sort(),
    capabilities: added.length === 0 ? undefined : [...new Set(added)].sort(),
    mounts_token: spec.flag('automountServiceAccountToken'),
  };
}

function isRoot(context: DocumentValue, ofPod: DocumentValue): boolean | undefined {
  const user = context.number('runAsUser') ?? ofPod.number('runAsUser');
  if (user !== undefined) return user === 0;
  return (context.flag('runAsNonRoot') ?? ofPod.flag('runAsNonRoot')) === true ? false : undefined;
}

/** The image as it is named, and, of a pod that runs, the one that it was. */
function readImages(
  { records, unresolved }: ClusterRecords,
  { key, value }: KubeObject,
  containers: readonly DocumentValue[],
): void {
  const status = value.object('status');
  const running = new Map(
    ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses']
      .flatMap((name) => status.objects(name))
      .map((each) => [each.text('name'), each.text('imageID')]),
  );
  for (const container of containers) {
    const image = container.text('image');
    const name = container.text('name');
    const parsed = image === undefined ? undefined : parseImageName(image);
    const found = image === undefined ? undefined : imageRecords([image, running.get(name) ?? '']);
    if (parsed === undefined || found === undefined) {
      const got = image?.slice(0, 100) ?? 'nothing';
      const reason = `${container.place}.image: expected the name of an image, got ${got}`;
      unresolved({ owner: key, end: 'from', verb: 'RUNS', reason });
      continue;
    }
    records.add(found.entities, found.relationships);
    records.relate(key, 'RUNS', imageKey(parsed), { container: name });
  }
}

interface Reference {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly name: string;
  /** Through what: `environment`, `volume`, `image_pull`. */
  readonly by: string;
}

/** The secrets and config maps that pods use; those without a name are none. */
function referencesOf(spec: DocumentValue, containers: readonly DocumentValue[]): readonly Reference[] {
  const found: Reference[] = [];
  const add = (kind: Reference['kind'], by: string, name: string | undefined): void => {
    if (name !== undefined) found.push({ kind, name, by });
  };
  for (const container of containers) {
    for (const variable of container.objects('env')) {
      const object = variable.object('valueFrom');
      add('Secret', 'environment', object.object('secretKeyRef').text('name'));
      add('ConfigMap', 'environment', object.object('configMapKeyRef').text('name'));
    }
    for (const each of container.objects('envFrom')) {
      add('Secret', 'environment', each.object('secretRef').text('name'));
      add('ConfigMap', 'environment', each.object('configMapRef').text('name'));
    }
  }
  for (const volume of spec.objects('volumes')) {
    add('Secret', 'volume', volume.object('secret').text('secretName'));
    add('ConfigMap', 'volume', volume.object('configMap').text('name'));
    for (const part of volume.object('projected').objects('sources')) {
      add('Secret', 'volume', part.object('secret').text('name'));
      add('ConfigMap', 'volume', part.object('configMap').text('name'));
    }
  }
  for (const each of spec.objects('imagePullSecrets')) add('Secret', 'image_pull', each.text('name'));
  return found;
}
