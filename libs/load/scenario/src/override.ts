import { completed, DomainError, findRepeatedName, repetitionText } from '#platform/foundation';

/** A path in a scenario with its new value: `load.stages.0.rate=500`. */
export interface Override {
  readonly path: readonly string[];
  readonly value: unknown;
}

const DEPTH_MAX = 16;

/** The value is parsed as JSON if possible, else it is text. Throws SCENARIO_INVALID. */
export function parseOverride(text: string): Override {
  const [, pathText = '', valueText = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  const path = pathText.split('.');
  if (pathText === '' || path.length > DEPTH_MAX || path.includes('')) {
    throw new DomainError(
      'SCENARIO_INVALID',
      'expected path.to.value=something, such as load.stages.0.rate=500',
    );
  }
  return { path, value: jsonOrText(valueText, pathText) };
}

/**
 * A copy of the document with the new values. Missing tables on a path are created; a list index must exist
 * or be the next one. Throws SCENARIO_INVALID.
 */
export function applyOverrides(document: unknown, overrides: readonly Override[]): unknown {
  return overrides.reduce((before, { path, value }) => placed(before, path, value, path), document);
}

function placed(
  owner: unknown,
  [name, ...rest]: readonly string[],
  value: unknown,
  path: readonly string[],
): unknown {
  if (name === undefined) return value;
  if (Array.isArray(owner)) return placedInList(owner, [name, ...rest], value, path);
  if (owner !== undefined && !isTable(owner)) throw refusal(path, name, 'a table or list');
  const table: Readonly<Record<string, unknown>> = owner ?? {};
  const before = Object.hasOwn(table, name) ? table[name] : undefined;
  return Object.fromEntries([...Object.entries(table), [name, placed(before, rest, value, path)]]);
}

function placedInList(
  list: readonly unknown[],
  [name = '', ...rest]: readonly string[],
  value: unknown,
  path: readonly string[],
): unknown {
  const index = /^\d{1,6}$/.test(name) ? Number(name) : Infinity;
  if (index > list.length) throw refusal(path, name, `a position from 0 to ${list.length}`);
  return list.toSpliced(index, 1, placed(list[index], rest, value, path));
}

function refusal(path: readonly string[], name: string, expected: string): DomainError {
  return new DomainError('SCENARIO_INVALID', `${path.join('.')}: expected ${expected} at ${name}`);
}

/** Text that is no JSON is itself. Throws SCENARIO_INVALID for JSON with a name twice in an object. */
function jsonOrText(text: string, name: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
  const repeated = completed(findRepeatedName(text));
  if (repeated === null) return value;
  throw new DomainError('SCENARIO_INVALID', `${name}: expected ${repetitionText(repeated)}`);
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
