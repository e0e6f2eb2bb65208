import { type Field, type Fields, mapped, object, refuse, type Shape } from '#platform/config';

const QUOTED_MAX = 60;

/** User and password before a host, in any text that was meant as an address. */
const USER_INFO = /^([a-z][a-z0-9+.-]*:\/\/)?.*@/is;

/**
 * A value accepted by `parse`, which returns undefined for the fault "expected …, got …". Not for values that
 * may be a secret: {@link parsedSecret}.
 */
export function parsed<T>(expects: string, parse: (value: unknown) => T | undefined): Shape<T> {
  return {
    expects,
    read: (value, at) => parse(value) ?? refuse(at, `${expects}, got ${inWords(value)}`),
  };
}

/** Like `parsed`, for texts. */
export function parsedText<T>(expects: string, parse: (text: string) => T | undefined): Shape<T> {
  return parsed(expects, (value) => (typeof value === 'string' ? parse(value) : undefined));
}

/** Like `parsedText`; the fault names the kind of the value, not the value. */
export function parsedSecret<T>(expects: string, parse: (text: string) => T | undefined): Shape<T> {
  return {
    expects,
    read: (value, at) =>
      (typeof value === 'string' ? parse(value) : undefined) ??
      refuse(at, `${expects}, got ${kindOf(value)}`),
  };
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a table';
  return typeof value === 'string' ? 'another text' : `a ${typeof value}`;
}

function inWords(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'boolean') {
    return typeof value === 'number' ? String(value) : kindOf(value);
  }
  const text = JSON.stringify(typeof value === 'string' ? value.replace(USER_INFO, '$1***@') : value);
  return text.length > QUOTED_MAX ? `${text.slice(0, QUOTED_MAX)}…` : text;
}

const DURATION = /^(\d{1,9})(ms|s|m|h|d)$/;

const MS_BY_UNIT: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** The limit of the system's timers. */
const DURATION_MS_MAX = 24 * 86_400_000;

/** Milliseconds, written `200ms`, `5s`, `1h`. With `zero` also none. */
export function duration({ zero = false }: { readonly zero?: boolean } = {}): Shape<number> {
  const expects = `a duration from ${zero ? '0s' : '1ms'} to 24d, such as 200ms, 5s or 1h`;
  return parsedText(expects, (text) => {
    const [, digits, unit = ''] = DURATION.exec(text) ?? [];
    const ms = Number(digits) * (MS_BY_UNIT.get(unit) ?? NaN);
    return ms <= DURATION_MS_MAX && (zero || ms > 0) ? ms : undefined;
  });
}

/** One field for each property. */
export type FieldsOf<T> = { readonly [P in keyof T]-?: Field<T[P]> };

/**
 * A map of the file as an object in camel case: `idle_timeout` becomes `idleTimeoutMs`. Every property is
 * present; undefined when the file omits it and there is no default.
 */
export function camelCaseObject<T extends object>(fields: FieldsOf<T>): Shape<T> {
  const properties = Object.keys(fields) as (keyof T & string)[];
  const byKey: Fields = Object.fromEntries(properties.map((name) => [fileKey(name), fields[name]]));
  const shape = object(byKey);
  return mapped(shape, (values: Readonly<Record<string, unknown>>) => {
    const entries = properties.map((property) => [property, values[fileKey(property)]]);
    return Object.freeze(Object.fromEntries(entries)) as T;
  });
}

/** `idleTimeoutMs` is `idle_timeout` in a file, `consecutive5xx` is `consecutive_5xx`. */
function fileKey(property: string): string {
  return property.replace(/Ms$/, '').replace(/[A-Z]|\d+/g, (found) => `_${found.toLowerCase()}`);
}
