import { hash } from 'node:crypto';
import type { Rule } from './rule.ts';

/**
 * Names what decides a rule's outcome: another query or population, other parameters, expectation,
 * exceptions or words that may be absent make another definition, and what an earlier one came to says
 * nothing of it. Titles and the like do not count.
 */
export function definitionOf(rule: Rule): string {
  const { query, population = null, parameters, expect, exceptions, may_be_absent: absent } = rule;
  const byName = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  return hash('sha256', JSON.stringify([query, population, byName, expect, exceptions, absent]));
}
