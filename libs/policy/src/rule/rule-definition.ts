import { hash } from 'node:crypto';
import type { Rule } from './rule.ts';

/**
 * Names what decides a rule's outcome: another query, other parameters, expectation or exceptions make
 * another definition, and what an earlier one came to says nothing of it. Titles and the like do not count.
 */
export function definitionOf({ query, parameters, expect, exceptions }: Rule): string {
  const byName = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  return hash('sha256', JSON.stringify([query, byName, expect, exceptions]));
}
