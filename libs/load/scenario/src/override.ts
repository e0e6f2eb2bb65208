import { DomainError } from '#platform/foundation';

/** A place in a scenario, and what is to stand there: `load.stages.0.rate=500`. */
export interface Override {
  readonly path: readonly string[];
  readonly value: unknown;
}

const DEPTH_MAX = 16;

/** The value is JSON where it can be read so, else text. Throws SCENARIO_INVALID. */
export function parseOverride(text: string): Override {
  const [, pathText = '', valueText = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  const path = pathText.split('.');
  if (pathText === '' || path.length > DEPTH_MAX || path.includes('')) {
    throw new DomainError(
      'SCENARIO_INVALID',
      'expected path.to.value=something, such as load.stages.0.rate=500',
    );
  }
  return { path, value: jsonOrText(valueText) };
}

/**
 * A copy of the document with the values put in their places. A missing table on the way is made; a position
 * in a list must be there, or be the next. Throws SCENARIO_INVALID.
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

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
