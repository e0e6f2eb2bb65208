import { UNSHARED } from '#graph/engine';
import { type PolicyDocuments, RULE_PREFIX } from './policy-ports.ts';

/**
 * Reads stored findings and evaluations, has no stored rules, and writes nothing: for evaluations without
 * side effects.
 */
export function transientDocuments(documents: PolicyDocuments): PolicyDocuments {
  return {
    change: () => Promise.resolve(),
    ...UNSHARED,
    get: (namespace, id) => documents.get(namespace, id),
    all: (namespace, idPrefix = '') => documents.all(namespace, idPrefix === RULE_PREFIX ? '\0' : idPrefix),
  };
}
