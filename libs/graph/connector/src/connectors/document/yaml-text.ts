/** YAML of other tools. Every scalar is a text, as written: a version 1.10 is not the number 1.1. */
import { FAILSAFE_SCHEMA, load, YAMLException } from 'js-yaml';
import { DomainError } from '#platform/foundation';

const DEPTH_MAX = 100;

/**
 * The value of one document. Throws INVALID_REQUEST with line and column of a fault; aliases are refused,
 * since a few lines of them can stand for any number of values. `what` describes the expected document.
 */
export function parseYaml(text: string, what: string): unknown {
  try {
    return load(text, { schema: FAILSAFE_SCHEMA, maxDepth: DEPTH_MAX, maxAliases: 0 });
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    const { mark, reason } = cause;
    const place = mark === undefined ? '' : ` in line ${mark.line + 1}, column ${mark.column + 1}`;
    throw new DomainError('INVALID_REQUEST', `expected ${what}, got other YAML: ${reason}${place}`, {
      cause,
    });
  }
}
