import type { EntityKey } from '#graph/model';
import { fittingKey } from '../document/fitting-key.ts';
import type { DocumentValue } from '../document/document-value.ts';
import type { LooseReference } from '../../run/step.ts';
import type { Facts, RecordSet } from '../document/record-set.ts';

/** The kinds that are read: their types, classes, and whether they are in a namespace. */
interface KindFacts {
  readonly type: string;
  readonly class: string;
  readonly isNamespaced: boolean;
  /** The name of the resource in rules, for kinds that rules are followed to. */
  readonly resource?: string;
}

const kind = (type: string, className: string, more: Partial<KindFacts> = {}): KindFacts => ({
  type,
  class: className,
  isNamespaced: true,
  ...more,
});
const CLUSTER_WIDE = { isNamespaced: false };

const KINDS = {
  ClusterRole: kind('kube_cluster_role', 'Role', CLUSTER_WIDE),
  ClusterRoleBinding: kind('kube_cluster_role_binding', 'Policy', CLUSTER_WIDE),
  ConfigMap: kind('kube_config_map', 'Document', { resource: 'configmaps' }),
  CronJob: kind('kube_cron_job', 'Workload'),
  DaemonSet: kind('kube_daemon_set', 'Workload'),
  Deployment: kind('kube_deployment', 'Workload'),
  Group: kind('kube_group', 'Group', CLUSTER_WIDE),
  Ingress: kind('kube_ingress', 'Gateway'),
  Job: kind('kube_job', 'Workload'),
  Namespace: kind('kube_namespace', 'Group', CLUSTER_WIDE),
  NetworkPolicy: kind('kube_network_policy', 'Firewall'),
  Node: kind('kube_node', 'Host', CLUSTER_WIDE),
  Pod: kind('kube_pod', 'Workload', { resource: 'pods' }),
  ReplicaSet: kind('kube_replica_set', 'Workload'),
  ReplicationController: kind('kube_replication_controller', 'Workload'),
  Role: kind('kube_role', 'Role'),
  RoleBinding: kind('kube_role_binding', 'Policy'),
  Secret: kind('kube_secret', 'Secret', { resource: 'secrets' }),
  Service: kind('kube_service', 'Service'),
  ServiceAccount: kind('kube_service_account', 'User', { resource: 'serviceaccounts' }),
  StatefulSet: kind('kube_stateful_set', 'Workload'),
  User: kind('kube_user', 'User', CLUSTER_WIDE),
} satisfies Record<string, KindFacts>;

export type KindName = keyof typeof KINDS;

/** The groups of the kinds that are read. Others have kinds of the same names, such as Knative a Service. */
const GROUPS: ReadonlySet<string> = new Set([
  '',
  'apps',
  'batch',
  'extensions',
  'networking.k8s.io',
  'rbac.authorization.k8s.io',
  'user.openshift.io',
]);

export function isKind(name: string, apiVersion: string): name is KindName {
  return Object.hasOwn(KINDS, name) && GROUPS.has(groupOf(apiVersion));
}

/** `apps` of `apps/v1`; empty for the core group. */
function groupOf(apiVersion: string): string {
  const at = apiVersion.indexOf('/');
  return at < 0 ? '' : apiVersion.slice(0, at);
}

export function factsOfKind(name: KindName): KindFacts {
  return KINDS[name];
}

export const DEFAULT_NAMESPACE = 'default';

/** One object, with what all kinds have. */
export interface KubeObject {
  readonly kind: KindName;
  readonly key: EntityKey;
  readonly name: string;
  /** Otherwise the name is that of `generateName`, which others may have, with a star. */
  readonly hasOwnName: boolean;
  readonly namespace: string;
  readonly value: DocumentValue;
  readonly labels: ReadonlyMap<string, string>;
}

/** Undefined for a kind that is not read. */
export function kubeObjectOf(cluster: string, value: DocumentValue): KubeObject | undefined {
  const kindName = value.required('kind');
  if (!isKind(kindName, value.required('apiVersion'))) return undefined;
  const metadata = value.object('metadata');
  const own = metadata.text('name');
  const name = own ?? `${metadata.text('generateName') ?? ''}*`;
  const namespace = metadata.text('namespace') ?? DEFAULT_NAMESPACE;
  const key = kubeKey(cluster, kindName, { namespace, name });
  const labels = metadata.object('labels').textFields();
  return { kind: kindName, key, name, hasOwnName: own !== undefined, namespace, value, labels };
}

/** `prod/shop/web` in a namespace, `prod/admin` for the whole cluster. */
export function kubeKey(
  cluster: string,
  kindName: KindName,
  { namespace, name }: Pick<KubeObject, 'namespace' | 'name'>,
): EntityKey {
  const { type, isNamespaced } = factsOfKind(kindName);
  const path = isNamespaced ? [cluster, namespace, name] : [cluster, name];
  return { type, key: fittingKey(path.join('/')) };
}

/** What every object says of itself. */
export function commonFacts({ kind: kindName, name, namespace, labels }: KubeObject): Facts {
  const tags = Array.from(labels, ([label, value]) => `${label}=${value}`).sort();
  return {
    name,
    namespace: factsOfKind(kindName).isNamespaced ? namespace : undefined,
    kube_labels: tags.length === 0 ? undefined : tags,
  };
}

/** What the parts of a reader share. */
export interface ClusterRecords {
  readonly records: RecordSet;
  /** An entity that is named: it exists, whether or not its own object is in the source. */
  named(kind: KindName, namespace: string, name: string): EntityKey;
  readonly unresolved: (reference: LooseReference) => void;
}
