import { type CypherMap, type Value } from '#graph/cypher';
import { DomainError } from '#platform/foundation';
import type { StructureReader, Unpacked } from '../packstream/unpacker.ts';
import { TAG } from './structure-tag.ts';

/**
 * A structure that cannot be used as a value: read, so that what stands around it can be, and refused where
 * it would be used.
 */
export class UnusableValue {
  readonly what: string;

  constructor(what: string) {
    this.what = what;
  }
}

export type WireValue = Unpacked<Value | UnusableValue>;

const ELEMENTS: ReadonlyMap<number, string> = new Map([
  [TAG.node, 'a node'],
  [TAG.relationship, 'a relationship'],
  [TAG.unboundRelationship, 'a relationship'],
  [TAG.path, 'a path'],
]);

/** Reads structures as values. */
export const readStructure: StructureReader<Value | UnusableValue> = (tag) =>
  new UnusableValue(ELEMENTS.get(tag) ?? `a structure with the tag 0x${tag.toString(16)}`);

/** The parameters of a statement. Throws CYPHER_FAILED, with the name of a parameter that is no value. */
export function parametersOf(map: ReadonlyMap<string, WireValue>): CypherMap {
  for (const [name, value] of map) {
    const unusable = findUnusable(value);
    if (unusable === undefined) continue;
    throw new DomainError('CYPHER_FAILED', `parameter $${name}: ${unusable} cannot be a value`, {
      details: { code: 'Neo.ClientError.Statement.TypeError', kind: 'InvalidArgumentType' },
    });
  }
  return map as CypherMap;
}

function findUnusable(value: WireValue): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof UnusableValue) return value.what;
  if (value instanceof Uint8Array) return 'a list of bytes';
  const items = Array.isArray(value) ? value : value instanceof Map ? value.values() : [];
  for (const item of items as Iterable<WireValue>) {
    const found = findUnusable(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
