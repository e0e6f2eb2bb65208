/** The inputs of a rule's outcome: while none of them changes, a run has the same outcome (ADR 0220). */
import type { Footprint } from '#graph/model';
import { isStamp } from '#graph/query';
import { compileException, compileQuery, footprintOfQueries } from '../rule/rule-query.ts';
import type { Rule } from '../rule/rule.ts';
import type { RuleOutcome } from './outcome.ts';

/** Footprints of rule queries by rule object; an edited rule is a new object. */
const asked = new WeakMap<Rule, Footprint | undefined>();

/** Undefined if the outcome depends on more than the graph: on the time, or on the duration of the run. */
export function outcomeFootprint(rule: Rule, outcome: RuleOutcome): Footprint | undefined {
  if (outcome.status === 'Error') return undefined;
  const footprint = askedBy(rule);
  // A warning contains the nearest of all names in the graph, so any change can affect it.
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
