/** What a transaction keeps of nodes and relationships that it has created, changed or deleted. */
import type { NodeIdentity, StoredGraph } from '../graph/property-graph.port.ts';
import { runtimeFault } from '../syntax/fault.ts';
import { type CypherMap, isList, type Value } from '../value/value.ts';
import { requireFewEnough, requireKey, storedValueOf } from './stored-value.ts';

interface ElementChange {
  readonly elementId: string;
  /** The properties as they are now. */
  readonly properties: Map<string, Value>;
  /** Keys whose values the store has not yet. */
  readonly changedKeys: Set<string>;
  /** Whether the snapshot lacks it. */
  readonly isNew: boolean;
  /** Whether the store has it: a new one after a commit. */
  isStored: boolean;
  isDeleted: boolean;
}

/** A node that a transaction has created, changed or deleted. */
export interface NodeChange extends ElementChange {
  readonly identity: NodeIdentity;
  /** The labels as they are now. */
  readonly labels: Set<string>;
  areLabelsChanged: boolean;
}

/** A relationship that a transaction has created, changed or deleted. */
export interface LinkChange extends ElementChange {
  readonly type: string;
  readonly from: number;
  readonly to: number;
  readonly key: string | undefined;
}

/** What is kept of an element beside its properties. */
const VALUES_PER_ELEMENT = 16;
const CHARACTERS_PER_VALUE = 20;

/** Approximate number of values that it is made of. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return 2 + value.length / CHARACTERS_PER_VALUE;
  return isList(value) ? value.reduce<number>((total, item) => total + sizeOf(item), 2) : 2;
}

/** The same of an element with its properties. */
export function heldBy({ properties }: ElementChange): number {
  return [...properties.values()].reduce<number>((total, value) => total + sizeOf(value), VALUES_PER_ELEMENT);
}

/** After a commit. */
export function noteStored(change: ElementChange): void {
  change.isStored = !change.isDeleted;
  change.changedKeys.clear();
}

/** The change of an element that the snapshot lacks. */
export function newElement(elementId: string, properties: Map<string, Value>) {
  const changedKeys = new Set(properties.keys());
  return { elementId, properties, changedKeys, isNew: true, isStored: false, isDeleted: false };
}

/** The change of an element of the snapshot that is not changed yet. */
function storedElement(elementId: string, properties: CypherMap) {
  const changedKeys = new Set<string>();
  return {
    elementId,
    properties: new Map(properties),
    changedKeys,
    isNew: false,
    isStored: true,
    isDeleted: false,
  };
}

/** The change of a node that the snapshot lacks. */
export function newNode(
  { elementId, key }: { readonly elementId: string; readonly key: string },
  type: string,
  labels: readonly string[],
  properties: CypherMap,
): NodeChange {
  return {
    ...newElement(elementId, storable(properties)),
    identity: { type, key, class: type },
    labels: new Set(labels),
    areLabelsChanged: true,
  };
}

/** Null removes. Returns how to take it back; undefined where an absent property was to be removed. */
export function setValue(
  { properties, changedKeys }: NodeChange | LinkChange,
  key: string,
  value: Value,
): (() => void) | undefined {
  const [before, wasChanged] = [properties.get(key), changedKeys.has(key)];
  if (value === null) {
    if (!properties.delete(key)) return undefined;
  } else {
    requireKey(key);
    storedValueOf(key, value);
    properties.set(key, value);
    requireFewEnough(0, properties.size);
  }
  changedKeys.add(key);
  return () => {
    if (before === undefined) properties.delete(key);
    else properties.set(key, before);
    if (!wasChanged) changedKeys.delete(key);
  };
}

export function storedNode(base: StoredGraph, node: number): NodeChange {
  return {
    ...storedElement(base.nodeElementId(node), base.nodeProperties(node)),
    identity: base.nodeIdentity(node),
    labels: new Set(base.labels(node)),
    areLabelsChanged: false,
  };
}

export function storedLink(base: StoredGraph, link: number): LinkChange {
  return {
    ...storedElement(base.linkElementId(link), base.linkProperties(link)),
    type: base.type(link),
    from: base.start(link),
    to: base.end(link),
    key: base.linkIdentity(link).key,
  };
}

/** Returns the properties without nulls; throws for a value that no property can hold. */
export function storable(properties: CypherMap): Map<string, Value> {
  requireFewEnough(0, properties.size);
  for (const [key, value] of properties) {
    requireKey(key);
    storedValueOf(key, value);
  }
  return new Map([...properties].filter(([, value]) => value !== null));
}

/** Throws DeletedEntityAccess. */
export function live<T extends NodeChange | LinkChange>(change: T): T {
  if (!change.isDeleted) return change;
  throw runtimeFault(
    'DeletedEntityAccess',
    'Neo.ClientError.Statement.EntityNotFound',
    `the element ${change.elementId} has been deleted in this transaction`,
  );
}

export function connectedFault(): Error {
  return runtimeFault(
    'DeleteConnectedNode',
    'Neo.ClientError.Schema.ConstraintValidationFailed',
    'a node with relationships cannot be deleted: delete them first, or use DETACH DELETE',
  );
}

/** A field of the record that a new node will be. */
export function newRecordField({ identity, elementId }: NodeChange, key: string): Value {
  switch (key) {
    case '_id':
      return elementId;
    case '_key':
    case '_display_name':
      return identity.key;
    case '_type':
      return identity.type;
    case '_class':
      return identity.class;
    default:
      return null;
  }
}
