import { nearestName } from '#platform/foundation';
import type { CypherFunction, FunctionTable } from './function.ts';
import { GRAPH_FUNCTIONS } from './graph-functions.ts';
import { LIST_FUNCTIONS } from './list-functions.ts';
import { NUMBER_FUNCTIONS } from './number-functions.ts';
import { TEMPORAL_FUNCTIONS } from './temporal-functions.ts';
import { TEXT_FUNCTIONS } from './text-functions.ts';

const FUNCTIONS: FunctionTable = {
  ...GRAPH_FUNCTIONS,
  ...LIST_FUNCTIONS,
  ...NUMBER_FUNCTIONS,
  ...TEMPORAL_FUNCTIONS,
  ...TEXT_FUNCTIONS,
};

/** By name in any case of letters. */
export function findFunction(name: string): CypherFunction | undefined {
  return Object.hasOwn(FUNCTIONS, name.toLowerCase()) ? FUNCTIONS[name.toLowerCase()] : undefined;
}

/** The known function with the most similar name. */
export function nearestFunction(name: string): string | undefined {
  return nearestName(name.toLowerCase(), Object.keys(FUNCTIONS));
}
