/** `list[index]`, `map[key]`, `list[from..to]` */
import { propertyOf } from '../function/graph-functions.ts';
import { runtimeFault } from '../syntax/fault.ts';
import { typeFault } from '../value/arithmetic.ts';
import { isList, isMap, LinkValue, NodeValue, typeName, type Value } from '../value/value.ts';
import type { Run } from '../graph/run.ts';

export function elementOf(subject: Value, index: Value, run: Run): Value {
  if (subject === null || index === null) return null;
  if (isList(subject)) {
    if (typeof index !== 'bigint') throw listAccessFault(index);
    return subject.at(Number(index)) ?? null;
  }
  if (!isMap(subject) && !(subject instanceof NodeValue) && !(subject instanceof LinkValue)) {
    throw typeFault(`expected a List, a Map, a Node or a Relationship before [, got ${typeName(subject)}`);
  }
  if (typeof index === 'string') return propertyOf(run.graph, subject, index);
  throw runtimeFault(
    'MapElementAccessByNonString',
    'Neo.ClientError.Statement.TypeError',
    `expected a String as the key of a ${typeName(subject)}, got ${typeName(index)}`,
  );
}

function listAccessFault(index: Value): Error {
  return runtimeFault(
    'ListElementAccessByNonInteger',
    'Neo.ClientError.Statement.TypeError',
    `expected an Integer as the index of a List, got ${typeName(index)}`,
  );
}

/** An undefined bound is the list's own. */
export function sliceOf(list: Value, from: Value | undefined, to: Value | undefined): Value {
  if (list === null || from === null || to === null) return null;
  if (!isList(list)) throw typeFault(`expected a List before [..], got ${typeName(list)}`);
  return list.slice(boundOf(from), boundOf(to));
}

function boundOf(bound: Value | undefined): number | undefined {
  if (bound === undefined) return undefined;
  if (typeof bound === 'bigint') return Number(bound);
  throw listAccessFault(bound);
}
