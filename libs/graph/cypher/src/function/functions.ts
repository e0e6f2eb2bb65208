import { nearestName } from '#platform/foundation';
import { AGGREGATE_NAMES } from './aggregates.ts';
import type { CypherFunction, FunctionTable } from './function.ts';
import { GRAPH_FUNCTIONS } from './graph-functions.ts';
import { LIST_FUNCTIONS } from './list-functions.ts';
import { NUMBER_FUNCTIONS } from './number-functions.ts';
import { POINT_FUNCTIONS } from './point-functions.ts';
import { TEMPORAL_FUNCTIONS } from './temporal-functions.ts';
import { TEXT_FUNCTIONS } from './text-functions.ts';
import { VECTOR_FUNCTIONS } from './vector-functions.ts';

/** Each function once, in the groups that SHOW FUNCTIONS names. */
export const FUNCTION_GROUPS: readonly (readonly [category: string, FunctionTable])[] = [
  ['Graph', GRAPH_FUNCTIONS],
  ['List', LIST_FUNCTIONS],
  ['Numeric', NUMBER_FUNCTIONS],
  ['Spatial', POINT_FUNCTIONS],
  ['String', TEXT_FUNCTIONS],
  ['Temporal', TEMPORAL_FUNCTIONS],
  ['Vector', VECTOR_FUNCTIONS],
];

const FUNCTIONS: ReadonlyMap<string, CypherFunction> = new Map(
  FUNCTION_GROUPS.flatMap(([, table]) =>
    Object.entries(table).map(([name, found]) => [name.toLowerCase(), found] as const),
  ),
);

/** Finds a function by its name in any case of letters. */
export function findFunction(name: string): CypherFunction | undefined {
  return FUNCTIONS.get(name.toLowerCase());
}

/** The known function with the most similar name. */
export function nearestFunction(name: string): string | undefined {
  const names = FUNCTION_GROUPS.flatMap(([, table]) => Object.keys(table));
  return nearestName(name, [...names, ...AGGREGATE_NAMES]);
}
