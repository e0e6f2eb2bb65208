import { hash } from 'node:crypto';
import type { EntityKey } from '#graph/model';
import type { LooseReference, StepContext } from '../../run/step.ts';
import type { DocumentValue } from '../document/document-value.ts';
import { type Facts, RecordSet } from '../document/record-set.ts';
import { AccessRights } from './access-rights.ts';
import { Exposure } from './exposure.ts';
import {
  type ClusterRecords,
  commonFacts,
  factsOfKind,
  isKind,
  type KindName,
  kubeKey,
  type KubeObject,
  kubeObjectOf,
} from './kubernetes-objects.ts';
import { podSpecOf, readPods } from './pod-specs.ts';

type Context = Pick<StepContext<unknown>, 'ignored' | 'unresolved' | 'external' | 'warn'>;

/**
 * Reads objects one by one; relationships that need others (selectors, rights) are derived at the end. Values
 * of secrets, of config maps and of the environment are never read.
 */
export class KubernetesReader implements ClusterRecords {
  readonly records = new RecordSet();
  readonly #cluster: string;
  readonly #context: Context;
  readonly #access: AccessRights;
  readonly #exposure: Exposure;
  /** The sums of the objects that were read, by identity. */
  readonly #seen = new Map<string, string>();

  constructor(cluster: string, context: Context) {
    this.#cluster = cluster;
    this.#context = context;
    this.#access = new AccessRights(cluster, this, context);
    this.#exposure = new Exposure(this);
  }

  readonly unresolved = (reference: LooseReference): void => {
    this.#context.unresolved(reference);
  };

  read(value: DocumentValue): void {
    // A source without an object, such as the file of a command that failed, knows of no cluster.
    this.records.entity(this.#clusterKey(), 'Cluster', { name: this.#cluster });
    const object = kubeObjectOf(this.#cluster, value);
    if (object === undefined) {
      this.#context.ignored(`objects of the kind ${unreadKind(value)}`);
      return;
    }
    const identity = `${object.key.type} ${object.key.key}`;
    const sum = hash('sha256', JSON.stringify(value.value));
    const known = this.#seen.get(identity);
    if (known === undefined) {
      this.#seen.set(identity, sum);
      this.#add(object);
    } else {
      this.#context.ignored('objects that are stated again');
      if (known !== sum || !object.hasOwnName) this.#context.warn(repetitionOf(object));
    }
  }

  finish(): RecordSet {
    this.#exposure.finish();
    this.#access.finish();
    return this.records;
  }

  named(kind: KindName, namespace: string, name: string): EntityKey {
    const { isNamespaced, class: className } = factsOfKind(kind);
    const key = kubeKey(this.#cluster, kind, { namespace, name });
    if (this.records.has(key)) return key;
    this.records.entity(key, className, { name, namespace: isNamespaced ? namespace : undefined });
    this.#contain(key, namespace, isNamespaced);
    return key;
  }

  #add(object: KubeObject): void {
    const { kind, key, namespace } = object;
    const { class: className, isNamespaced } = factsOfKind(kind);
    this.records.entity(key, className, { ...commonFacts(object), ...ownFacts(object) });
    this.#contain(key, namespace, isNamespaced);
    this.#owners(object);
    const spec = podSpecOf(object);
    if (spec !== undefined) readPods(this, object, spec);
    this.#access.read(object);
    this.#exposure.read(object);
  }

  #contain(key: EntityKey, namespace: string, isNamespaced: boolean): void {
    if (key.type === 'kube_user' || key.type === 'kube_group') return;
    const holder = isNamespaced ? this.named('Namespace', '', namespace) : this.#clusterKey();
    this.records.relate(holder, 'CONTAINS', key);
  }

  /** Controllers own what they have made: a deployment its replica sets, and these their pods. */
  #owners({ key, value, namespace }: KubeObject): void {
    for (const owner of value.object('metadata').objects('ownerReferences')) {
      const kind = owner.required('kind');
      if (isKind(kind, owner.text('apiVersion') ?? ''))
        this.records.relate(this.named(kind, namespace, owner.required('name')), 'OWNS', key);
    }
  }

  #clusterKey(): EntityKey {
    return { type: 'kube_cluster', key: this.#cluster };
  }
}

/** What is not read of an object that is another than the first one of its name. */
function repetitionOf({ kind, key, value, hasOwnName }: KubeObject): string {
  const what = `${value.place}: the ${kind} ${key.key}`;
  return hasOwnName
    ? `${what} is stated again, differently; the first is read`
    : `${what} has no name but its generateName, as one before it; the first is read`;
}

/** With the group, if another group has a kind of this name that is read. */
function unreadKind(value: DocumentValue): string {
  const [kind, version] = [value.text('kind') ?? '', value.text('apiVersion') ?? ''];
  return isKind(kind, '') ? `${kind} of ${version}` : kind;
}

/** What some kinds say of themselves. */
function ownFacts({ kind, value }: KubeObject): Facts {
  switch (kind) {
    case 'Secret':
      return { secret_type: value.text('type') };
    case 'Node': {
      const info = value.at('status', 'nodeInfo');
      const addresses = value.object('status').objects('addresses');
      const texts = addresses.flatMap((each) => each.text('address') ?? []);
      return {
        addresses: texts.length === 0 ? undefined : texts,
        os: info.text('osImage'),
        kubelet_version: info.text('kubeletVersion'),
      };
    }
    case 'ServiceAccount':
      return { mounts_token: value.flag('automountServiceAccountToken') };
    default:
      return {};
  }
}
