import { LARGE_INTEGER, YamlDocument, type YamlPath, type YamlPlace } from '#platform/config';
import { DomainError } from '#platform/foundation';

/** Untrusted rules, and the positions of errors in them. */
export interface RuleSource {
  readonly value: unknown;
  /** Creates POLICY_INVALID with the position of the value, or of its key. */
  fault(path: YamlPath, message: string, at?: 'key' | 'value'): DomainError;
}

export interface YamlRuleSource extends RuleSource {
  /** The position of a value. */
  placeOf(path: YamlPath): YamlPlace;
}

/** A YAML text; errors start with `file:line:column`. Throws POLICY_INVALID for invalid YAML. */
export function yamlSource(text: string, file: string): YamlRuleSource {
  const document = asPolicyFault(file, () => YamlDocument.parse(text, file));
  return {
    value: document.value,
    placeOf: (path) => document.placeOf(path),
    fault: (path, message, at) => {
      const name = path.at(-1);
      const named = at !== 'key' && typeof name === 'string' ? `${name}: ${message}` : message;
      const fault = document.fault(path, named, at);
      return new DomainError('POLICY_INVALID', fault.message, { details: { ...fault.details, file } });
    },
  };
}

/**
 * A parsed JSON value; errors start with its path, `rules[3].query`. Throws POLICY_INVALID for a bigint,
 * which represents an integer that a number would round.
 */
export function jsonSource(value: unknown): RuleSource {
  const large = bigintIn(value);
  if (large !== undefined) throw jsonFault(large, LARGE_INTEGER);
  return { value, fault: jsonFault };
}

function jsonFault(path: YamlPath, message: string): DomainError {
  const field = pathText(path);
  const where = field === '' ? message : `${field}: ${message}`;
  return new DomainError('POLICY_INVALID', where, { details: { field } });
}

/** The path of the first bigint. Recursive, since bodies are not nested deeply. */
function bigintIn(value: unknown): YamlPath | undefined {
  if (typeof value === 'bigint') return [];
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    const path = bigintIn(member);
    if (path !== undefined) return [Array.isArray(value) ? Number(name) : name, ...path];
  }
  return undefined;
}

function asPolicyFault<Value>(file: string, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { message, details } = error;
    throw new DomainError('POLICY_INVALID', message, { cause: error, details: { ...details, file } });
  }
}

function pathText(path: YamlPath): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${part}`))
    .join('');
}
