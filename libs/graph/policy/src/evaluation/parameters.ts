import { isParameterValue, type ParameterValue } from '#graph/query';
import { DomainError } from '#platform/foundation';
import type { Rule } from '../rule/rule.ts';

/** The rule's default values, overridden by `given` for its parameters. Throws INVALID_REQUEST. */
export function boundParameters(
  { parameters }: Pick<Rule, 'parameters'>,
  given: Readonly<Record<string, ParameterValue>>,
): Record<string, ParameterValue> {
  const bound: Record<string, ParameterValue> = {};
  for (const [name, { type, default: fallback }] of Object.entries(parameters)) {
    const value = Object.hasOwn(given, name) ? given[name] : fallback;
    if (value === undefined) continue;
    if (!isParameterValue(value, type)) {
      throw new DomainError('INVALID_REQUEST', `params.${name}: expected a ${type}`, {
        details: { field: `params.${name}` },
      });
    }
    bound[name] = value;
  }
  return bound;
}
