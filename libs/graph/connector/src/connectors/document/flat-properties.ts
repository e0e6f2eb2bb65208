import { isAbsent, type JsonObject } from '#graph/model';

/**
 * Keeps scalars and lists of one kind of them; nested values are kept as JSON text, so that their changes are
 * visible. `own` are fields to leave out.
 */
export function flatProperties(object: JsonObject, own: ReadonlySet<string>): Record<string, unknown> {
  const fields = Object.entries(object).filter(([name, value]) => !own.has(name) && !isAbsent(value));
  return Object.fromEntries(fields.map(([name, value]) => [name.replace(/^_+/, ''), flat(value)]));
}

function flat(value: unknown): unknown {
  if (typeof value !== 'object') return value;
  return Array.isArray(value) && isPlainList(value) ? value : exactText(value);
}

/** Whether all items are texts, numbers or switches. */
export function isPlainList(list: readonly unknown[]): boolean {
  const kinds = new Set(list.map((item) => (typeof item === 'bigint' ? 'number' : typeof item)));
  return kinds.size <= 1 && ['string', 'number', 'boolean'].includes([...kinds][0] ?? 'string');
}

/** A value as JSON text, in which integers beyond the exact range are texts. */
export function exactText(value: unknown): string {
  return JSON.stringify(value, (_name, item: unknown) => (typeof item === 'bigint' ? String(item) : item));
}
