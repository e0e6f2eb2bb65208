/** What subjects may do: the rules of all roles that are bound to them, added up. */
import type { EntityKey } from '#graph/model';
import type { StepContext } from '../../run/step.ts';
import { DocumentValue } from '../document/document-value.ts';
import { fittingKey } from '../document/fitting-key.ts';
import { type ClusterRecords, factsOfKind, type KubeObject } from './kubernetes-objects.ts';
import { type Labels, matchesSelector } from './label-selector.ts';

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);
const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
const EVERYWHERE = '*';
const ALL = new DocumentValue({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, 'cluster-admin');

interface Role {
  readonly key: EntityKey;
  readonly rules: readonly DocumentValue[];
  readonly labels: Labels;
  /** Selectors of the roles whose rules it has as well. */
  readonly aggregates: readonly DocumentValue[];
}

/** A resource within a scope: a namespace, or `*` for the whole cluster. */
interface Resource {
  readonly scope: string;
  readonly resource: string;
  readonly name: string | undefined;
}

interface Right {
  readonly subject: EntityKey;
  readonly to: Resource;
  readonly verbs: Set<string>;
  readonly bindings: Set<string>;
}

export class AccessRights {
  readonly #clusterName: string;
  readonly #cluster: ClusterRecords;
  readonly #context: Pick<StepContext<unknown>, 'ignored' | 'external'>;
  readonly #roles = new Map<string, Role>();
  readonly #bindings: KubeObject[] = [];
  readonly #subjects = new Set<string>();
  readonly #rights = new Map<string, Right>();
  /** Objects that rules lead to, by the name of their resource. */
  readonly #objects = new Map<string, KubeObject[]>();

  constructor(
    clusterName: string,
    cluster: ClusterRecords,
    context: Pick<StepContext<unknown>, 'ignored' | 'external'>,
  ) {
    this.#clusterName = clusterName;
    this.#cluster = cluster;
    this.#context = context;
  }

  read(object: KubeObject): void {
    const { kind, key, value, labels } = object;
    if (kind === 'Role' || kind === 'ClusterRole') {
      const aggregates = value.object('aggregationRule').objects('clusterRoleSelectors');
      const rules = value.objects('rules');
      this.#roles.set(`${key.type} ${key.key}`, { key, rules, labels, aggregates });
      const texts = rules.map(textOf);
      this.#cluster.records.entity(key, 'Role', { rules: texts.length === 0 ? undefined : texts });
    }
    if (kind.endsWith('RoleBinding')) this.#bindings.push(object);
    // A group is an object in OpenShift only.
    if (kind === 'Group')
      for (const name of value.texts('users'))
        this.#cluster.records.relate(this.#cluster.named('User', '', name), 'MEMBER_OF', key);
    const { resource } = factsOfKind(kind);
    if (resource === undefined) return;
    const others = this.#objects.get(resource);
    if (others === undefined) this.#objects.set(resource, [object]);
    else others.push(object);
  }

  finish(): void {
    for (const binding of this.#bindings) this.#bind(binding);
    for (const right of this.#rights.values()) this.#emit(right);
    this.#joinGroups();
  }

  #bind({ key, value, kind, namespace, name }: KubeObject): void {
    const reference = value.object('roleRef');
    const role = this.#roleOf(reference, namespace);
    this.#cluster.records.relate(key, 'ALLOWS', role);
    const scope = kind === 'ClusterRoleBinding' ? EVERYWHERE : namespace;
    const rules = this.#rulesOf(role, key, reference);
    for (const subject of value.objects('subjects')) {
      const who = this.#subjectOf(subject, namespace);
      this.#cluster.records.relate(who, 'ASSIGNED', role, { by: name, scope });
      for (const rule of rules) this.#grant(who, rule, { scope, by: name });
    }
  }

  #roleOf(reference: DocumentValue, namespace: string): EntityKey {
    const kind = reference.text('kind') ?? 'ClusterRole';
    if (kind !== 'Role' && kind !== 'ClusterRole')
      throw reference.fault('kind', `expected Role or ClusterRole, got ${kind.slice(0, 40)}`);
    return this.#cluster.named(kind, namespace, reference.required('name'));
  }

  /** Those of a role that is not in the source are unknown, except of the one that may do everything. */
  #rulesOf(role: EntityKey, owner: EntityKey, reference: DocumentValue): readonly DocumentValue[] {
    const found = this.#roles.get(`${role.type} ${role.key}`);
    const name = reference.required('name');
    if (found === undefined && role.type === 'kube_cluster_role' && name === 'cluster-admin') return [ALL];
    if (found === undefined) {
      const reason = `${reference.place}: the role ${name} is not in the source: what it allows is not known`;
      this.#context.external({ owner, end: 'from', verb: 'ALLOWS', reason });
      return [];
    }
    return this.#withAggregated(found);
  }

  /** Of a role and all that it aggregates, which may aggregate others themselves. */
  #withAggregated(role: Role): readonly DocumentValue[] {
    const all = new Set([role]);
    // A set that grows is walked to its end.
    for (const { aggregates } of all)
      for (const other of aggregates.length === 0 ? [] : this.#roles.values())
        if (
          other.key.type === 'kube_cluster_role' &&
          aggregates.some((selector) => matchesSelector(selector, other.labels))
        )
          all.add(other);
    return Array.from(all, ({ rules }) => rules).flat();
  }

  #subjectOf(subject: DocumentValue, namespace: string): EntityKey {
    const kind = subject.required('kind');
    const name = subject.required('name');
    if (kind !== 'User' && kind !== 'Group' && kind !== 'ServiceAccount')
      throw subject.fault('kind', `expected User, Group or ServiceAccount, got ${kind.slice(0, 40)}`);
    // A user with the name of an account is the account.
    const [, of, account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(kind === 'User' ? name : '') ?? [];
    const key =
      of !== undefined && account !== undefined
        ? this.#cluster.named('ServiceAccount', of, account)
        : this.#cluster.named(kind, subject.text('namespace') ?? namespace, name);
    this.#subjects.add(`${key.type} ${key.key}`);
    return key;
  }

  #grant(
    subject: EntityKey,
    rule: DocumentValue,
    { scope, by }: { readonly scope: string; readonly by: string },
  ): void {
    const verbs = rule.texts('verbs');
    this.#context.ignored('rules for URLs', rule.texts('nonResourceURLs').length > 0 ? 1 : 0);
    const groups = rule.texts('apiGroups');
    for (const group of groups.length === 0 ? [''] : groups)
      for (const resource of rule.texts('resources')) {
        const names = rule.texts('resourceNames');
        for (const name of names.length === 0 ? [undefined] : names) {
          const to = { scope, resource: group === '' ? resource : `${group}/${resource}`, name };
          const identity = JSON.stringify([subject, to]);
          const right = this.#rights.get(identity) ?? { subject, to, verbs: new Set(), bindings: new Set() };
          for (const verb of verbs) right.verbs.add(verb);
          right.bindings.add(by);
          this.#rights.set(identity, right);
        }
      }
  }

  #emit({ subject, to, verbs, bindings }: Right): void {
    const node = this.#resourceOf(to);
    const isAll = verbs.has('*');
    const kinds = [
      ['CAN_READ', (verb: string) => READS.has(verb)],
      ['CAN_WRITE', (verb: string) => WRITES.has(verb)],
      ['CAN_USE', (verb: string) => !READS.has(verb) && !WRITES.has(verb) && verb !== '*'],
    ] as const;
    for (const [verb, test] of kinds) {
      const own = [...verbs].filter(test).sort();
      if (own.length === 0 && !isAll) continue;
      const facts = { verbs: isAll ? ['*'] : own, by: [...bindings].sort() };
      this.#cluster.records.relate(subject, verb, node, facts);
    }
  }

  /** The resource, which CONTAINS the objects that a right to it is a right to. */
  #resourceOf({ scope, resource, name }: Resource): EntityKey {
    const parts = [this.#clusterName, scope, resource, ...(name === undefined ? [] : [name])];
    const key = { type: 'kube_resource', key: fittingKey(parts.join('/')) };
    if (this.#cluster.records.has(key)) return key;
    this.#cluster.records.entity(key, 'Endpoint', {
      name: parts.slice(1).join('/'),
      scope,
      resource,
      resource_name: name,
    });
    for (const object of this.#objectsOf(resource))
      if (
        (scope === EVERYWHERE || scope === object.namespace) &&
        (name === undefined || name === object.name)
      )
        this.#cluster.records.relate(key, 'CONTAINS', object.key);
    return key;
  }

  /** Those that are followed are all of the core group. */
  #objectsOf(resource: string): Iterable<KubeObject> {
    const path = resource.replace(/^\*\//, '');
    const [root = ''] = path.split('/');
    if (path === '*') return [...this.#objects.values()].flat();
    return this.#objects.get(root) ?? [];
  }

  /** Accounts are members of the groups that Kubernetes gives them, if rights are bound to these. */
  #joinGroups(): void {
    const isBound = (name: string): boolean => this.#subjects.has(`kube_group ${this.#clusterName}/${name}`);
    const join = (member: EntityKey, name: string): void => {
      if (isBound(name))
        this.#cluster.records.relate(member, 'MEMBER_OF', this.#cluster.named('Group', '', name));
    };
    // Also those that pods and bindings name, such as the account `default` of a namespace.
    for (const { type, key, facts } of [...this.#cluster.records.entities()]) {
      if (type !== 'kube_service_account') continue;
      for (const group of ['', `:${String(facts['namespace'])}`])
        join({ type, key }, `system:serviceaccounts${group}`);
      join({ type, key }, 'system:authenticated');
    }
    for (const subject of this.#subjects) {
      const [type = '', ...rest] = subject.split(' ');
      if (type === 'kube_user') join({ type, key: rest.join(' ') }, 'system:authenticated');
    }
  }
}

/** `get,list secrets`, with group and names where there are some. */
function textOf(rule: DocumentValue): string {
  const groups = rule.texts('apiGroups').filter((group) => group !== '');
  const names = rule.texts('resourceNames');
  const things = [...rule.texts('resources'), ...rule.texts('nonResourceURLs')];
  const parts = [rule.texts('verbs').join(','), things.join(',')];
  if (groups.length > 0) parts.push(`in ${groups.join(',')}`);
  if (names.length > 0) parts.push(`named ${names.join(',')}`);
  return parts.join(' ');
}
