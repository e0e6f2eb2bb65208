/** What a transaction keeps of nodes and relationships that it has created, changed or deleted. */
import type { NodeIdentity } from '../graph/property-graph.port.ts';
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
export const VALUES_PER_ELEMENT = 16;
const CHARACTERS_PER_VALUE = 20;

/** Approximate number of values that it is made of. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return 2 + value.length / CHARACTERS_PER_VALUE;
  return isList(value) ? value.reduce<number>((total, item) => total + sizeOf(item), 2) : 2;
}

/** The change of an element that the snapshot lacks. */
export function newElement(elementId: string, properties: Map<string, Value>) {
  const changedKeys = new Set(properties.keys());
  return { elementId, properties, changedKeys, isNew: true, isStored: false, isDeleted: false };
}

/** The change of an element of the snapshot that is not changed yet. */
export function storedElement(elementId: string, properties: CypherMap) {
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
