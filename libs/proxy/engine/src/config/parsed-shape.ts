import { refuse, type Shape } from '#platform/config';

const QUOTED_MAX = 60;

/**
 * A value that `parse` understands; undefined is the fault "expected …, got …". Not for what may be a secret
 * under the wrong name.
 */
export function parsed<T>(expects: string, parse: (value: unknown) => T | undefined): Shape<T> {
  return {
    expects,
    read: (value, at) => parse(value) ?? refuse(at, `${expects}, got ${inWords(value)}`),
  };
}

/** The same for texts. */
export function parsedText<T>(expects: string, parse: (text: string) => T | undefined): Shape<T> {
  return parsed(expects, (value) => (typeof value === 'string' ? parse(value) : undefined));
}

function inWords(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a table';
  if (typeof value === 'number') return String(value);
  const text = JSON.stringify(value);
  return text.length > QUOTED_MAX ? `${text.slice(0, QUOTED_MAX)}…` : text;
}
