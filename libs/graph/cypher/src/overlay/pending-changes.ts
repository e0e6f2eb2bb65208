/** What a transaction has changed since its last commit, as the engine writes it. */
import type { SeenRelationship, TransactionChanges } from '#graph/engine';
import {
  createKinds,
  createProperties,
  entityId,
  type EntityStatement,
  type RelationshipInput,
  someKinds,
  UNLABELLED,
} from '#graph/model';
import type { Steps } from '#platform/foundation';
import { labelsOf } from '../graph/snapshot-graph.ts';
import { valuesOf } from '../graph/stored-kinds.ts';
import { runtimeFault } from '../syntax/fault.ts';
import { Claims, linkLabel, type NodeClaim } from './claims.ts';
import type { LinkChange, NodeChange } from './element-change.ts';
import { storedValueOf } from './stored-value.ts';
import type { TransactionGraph } from './transaction-graph.ts';

/** Who writes, and whose records it may delete beside its own. */
export interface WritingSource {
  readonly source: string;
  readonly deletable: readonly string[] | '*';
}

/** Records that are looked at in one step. */
const CHANGES_PER_STEP = 64;

/** Undefined where nothing has changed. The transaction must not change between the steps. */
export function* pendingChanges(
  graph: TransactionGraph,
  writing: WritingSource,
  claims: readonly NodeClaim[],
): Steps<Omit<TransactionChanges, 'isCurrent'> | undefined> {
  const pending = new Pending(graph);
  yield* eachInSteps(graph.nodeChanges, ([, change]) => pending.addNode(change));
  yield* eachInSteps(graph.linkChanges, ([, change]) => pending.addLink(change));
  if (pending.unchanged.size === 0) return undefined;
  const [nodes, links] = [new Claims(), new Claims()];
  yield* eachInSteps(graph.nodeClaims, (claim) => nodes.add(claim));
  yield* eachInSteps(claims, (claim) => nodes.add(claim));
  yield* eachInSteps(graph.linkClaims, (claim) =>
    links.add({ labels: [linkLabel(claim)], properties: claim.properties }),
  );
  return {
    connectorId: writing.source,
    entities: pending.entities,
    relationships: pending.relationships,
    deleted: pending.deleted,
    unchanged: pending.unchanged,
    collides: (entity) =>
      nodes.collides(new Set(labelsOf(entity)), () => valuesOf(entity.properties(), entity.kinds())),
    collidesLink: (link) =>
      links.collides(new Set([labelOf(link)]), () => valuesOf(link.state.properties(), link.state.kinds())),
    requireDeletable: (others, record) => {
      requireDeletable(others, record, writing);
    },
  };
}

class Pending {
  readonly entities: EntityStatement[] = [];
  readonly relationships: RelationshipInput[] = [];
  readonly deleted = { entities: [] as string[], relationships: [] as string[] };
  readonly unchanged = new Set<string>();
  readonly #graph: TransactionGraph;

  constructor(graph: TransactionGraph) {
    this.#graph = graph;
  }

  addNode(change: NodeChange): void {
    const { identity, isDeleted, isStored, changedKeys, areLabelsChanged, elementId } = change;
    if (isDeleted) {
      if (isStored) this.#add(this.deleted.entities, elementId, elementId);
      return;
    }
    if (isStored && changedKeys.size === 0 && !areLabelsChanged) return;
    const { type, key } = identity;
    const statement = { type, key, ...namesOf(change), ...patchOf(change) };
    this.#add(this.entities, statement, elementId);
  }

  addLink(change: LinkChange): void {
    const { type: verb, key, isDeleted, isStored, changedKeys, elementId } = change;
    if (isDeleted) {
      if (isStored) this.#add(this.deleted.relationships, elementId, elementId);
      return;
    }
    if (isStored && changedKeys.size === 0) return;
    const [from, to] = [this.#graph.nodeIdentity(change.from), this.#graph.nodeIdentity(change.to)];
    this.#add(this.relationships, { from, verb, to, key, ...patchOf(change) }, elementId);
  }

  #add<T>(list: T[], item: T, id: string): void {
    list.push(item);
    this.unchanged.add(id);
  }
}

/**
 * Class and further labels; nothing where they stay. A class that is no label any more becomes the type; a
 * type that is none is hidden.
 */
function namesOf(change: NodeChange): Pick<EntityStatement, 'class' | 'labels'> {
  const { identity, labels, areLabelsChanged } = change;
  if (!areLabelsChanged) return {};
  const { type } = identity;
  const className = labels.has(identity.class) ? identity.class : type;
  const further = [...labels].filter((label) => label !== type && label !== className);
  if (type !== UNLABELLED && !labels.has(type)) further.push(UNLABELLED);
  return { class: className, labels: further.sort() };
}

/** Null removes a property. */
function patchOf({
  changedKeys,
  properties,
}: NodeChange | LinkChange): Pick<EntityStatement, 'properties' | 'kinds'> {
  const patch = createProperties();
  const kinds = createKinds();
  for (const key of changedKeys) {
    const { value, kind } = storedValueOf(key, properties.get(key) ?? null);
    patch[key] = value;
    if (kind !== undefined) kinds[key] = kind;
  }
  return { properties: patch, kinds: someKinds(kinds) };
}

function* eachInSteps<Item>(items: Iterable<Item>, each: (item: Item) => void): Steps<void> {
  let looked = 0;
  for (const item of items) {
    each(item);
    if (++looked % CHANGES_PER_STEP === 0) yield;
  }
}

function labelOf({ from, to, state }: SeenRelationship): string {
  return linkLabel({
    type: state.verb,
    from: entityId(from.type, from.key),
    to: entityId(to.type, to.key),
  });
}

function requireDeletable(others: readonly string[], record: string, { deletable }: WritingSource): void {
  const other = deletable === '*' ? undefined : others.find((each) => !deletable.includes(each));
  if (other === undefined) return;
  throw runtimeFault(
    'NotSupported',
    'Neo.ClientError.Security.Forbidden',
    `${record} is stated by the source ${other} too: name it in the transaction's metadata, sources: ['${other}'], to delete it`,
  );
}
