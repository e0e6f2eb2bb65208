/** YAML of other tools. */
import { CORE_SCHEMA, FAILSAFE_SCHEMA, load, loadAll, YAMLException } from 'js-yaml';
import { DomainError } from '#platform/foundation';

const DEPTH_MAX = 100;

/**
 * The value of one document. Every scalar is a text, as written: a version 1.10 is not the number 1.1. Throws
 * INVALID_REQUEST with line and column of a fault; aliases are refused, since a few lines of them can stand
 * for any number of values. `what` describes the expected document.
 */
export function parseYaml(text: string, what: string): unknown {
  return naming(what, () => load(text, { schema: FAILSAFE_SCHEMA, maxDepth: DEPTH_MAX, maxAliases: 0 }));
}

/** Like {@link parseYaml}, for the values of all documents. */
export function parseYamlStream(text: string, what: string): readonly unknown[] {
  return naming(what, () => loadAll(text, { schema: FAILSAFE_SCHEMA, maxDepth: DEPTH_MAX, maxAliases: 0 }));
}

/** Like {@link parseYaml}, for the values of all documents, with numbers and booleans. */
export function parseYamlDocuments(text: string, what: string): readonly unknown[] {
  return naming(what, () => loadAll(text, { schema: CORE_SCHEMA, maxDepth: DEPTH_MAX, maxAliases: 0 }));
}

function naming<Value>(what: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    const { mark, reason } = cause;
    const place = mark === undefined ? '' : ` in line ${mark.line + 1}, column ${mark.column + 1}`;
    throw new DomainError('INVALID_REQUEST', `expected ${what}, got other YAML: ${reason}${place}`, {
      cause,
    });
  }
}
