import { type Field, type Fields, mapped, object, type Shape } from '#platform/config';

/** One field for each property. */
export type FieldsOf<T> = { readonly [P in keyof T]-?: Field<T[P]> };

/**
 * A map of the file as an object of ours: `idle_timeout` becomes `idleTimeoutMs`. Every property is there;
 * undefined where the file has none and there is no default.
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
export function fileKey(property: string): string {
  return property.replace(/Ms$/, '').replace(/[A-Z]|\d+/g, (found) => `_${found.toLowerCase()}`);
}
