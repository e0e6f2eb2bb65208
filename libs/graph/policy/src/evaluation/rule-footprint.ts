/** What a rule's outcome was made of: while none of that changes, a run comes to the same (ADR 0220). */
import type { Footprint } from '#graph/model';
import { isStamp } from '#graph/query';
import { compileException, compileQuery, footprintOfQueries } from '../rule/rule-query.ts';
import type { Rule } from '../rule/rule.ts';
import type { RuleOutcome } from './outcome.ts';

/** Of what rules ask, by rule: an edited one is another object. */
const asked = new WeakMap<Rule, Footprint | undefined>();

/** Undefined when the outcome hangs on more than the graph: on the time, or on how long it took. */
export function outcomeFootprint(rule: Rule, outcome: RuleOutcome): Footprint | undefined {
  if (outcome.status === 'Error') return undefined;
  const footprint = askedBy(rule);
  // The nearest of all names there are is told.
  const tellsNames = outcome.warnings.some(({ code }) => code.startsWith('UNKNOWN_'));
  return footprint && tellsNames ? { ...footprint, names: '*', verbs: '*' } : footprint;
}

function askedBy(rule: Rule): Footprint | undefined {
  if (!asked.has(rule)) asked.set(rule, footprintOfRule(rule));
  return asked.get(rule);
}

function footprintOfRule({ query, population, exceptions, identity }: Rule): Footprint | undefined {
  const footprint = footprintOfQueries([
    compileQuery(query),
    ...(population === undefined ? [] : [compileQuery(population)]),
    ...exceptions.map(({ match }) => compileException(query, match)),
  ]);
  return footprint && { ...footprint, readsStamps: footprint.readsStamps || identity.some(isStamp) };
}
