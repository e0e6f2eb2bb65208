/** Truncates lists of records to the size of one answer, and reports it. */

/** The omitted part. */
export interface ListCut {
  readonly shown: number;
  readonly of: number;
  /** The bound that was reached. */
  readonly bound: 'rows' | 'bytes';
  readonly hint: string;
}

export interface FittedItems {
  readonly items: readonly unknown[];
  /** Number of items with shortened texts or lists. */
  readonly shortened: number;
}

export const LIST_BYTES_MAX = 64 * 1024;
const ITEM_BYTES_MAX = 32 * 1024;
/** Limits tried in turn on an oversized item. */
const SHORTENINGS = [
  { characters: 512, items: 100, fields: 64 },
  { characters: 64, items: 16, fields: 32 },
];
type Shortening = (typeof SHORTENINGS)[number];

/** The stamp fields that REST shows in addition. */
const STAMPS = new Set(['source', 'created_at', 'updated_at', 'last_seen_at', 'version']);

/** The longest prefix that fits. Items are returned without their stamps. */
export function fittedItems(items: readonly unknown[], bytesMax = LIST_BYTES_MAX): FittedItems {
  const kept: unknown[] = [];
  let bytes = 0;
  let shortenedCount = 0;
  for (const item of items) {
    let shown = withoutStamps(item);
    let size = bytesOf(shown);
    if (size > ITEM_BYTES_MAX) shortenedCount++;
    for (const shortening of SHORTENINGS) {
      if (size <= ITEM_BYTES_MAX) break;
      shown = shortened(shown, shortening);
      size = bytesOf(shown);
    }
    bytes += size;
    if (size > ITEM_BYTES_MAX || bytes > bytesMax) break;
    kept.push(shown);
  }
  return { items: kept, shortened: shortenedCount };
}

/** Undefined if all items are shown. */
export function cutOf(shown: number, of: number, asked: number, hint: string): ListCut | undefined {
  return shown >= of ? undefined : { shown, of, bound: shown >= asked ? 'rows' : 'bytes', hint };
}

export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function withoutStamps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutStamps);
  if (typeof value !== 'object' || value === null) return value;
  const isRecord = 'id' in value && 'source' in value && 'version' in value;
  const entries = Object.entries(value).filter(
    ([name, field]) => !isRecord || !(STAMPS.has(name) || (name === 'deleted_at' && field === null)),
  );
  return Object.fromEntries(
    entries.map(([name, field]) => [name, name === 'properties' ? field : withoutStamps(field)]),
  );
}

function shortened(value: unknown, shortening: Shortening): unknown {
  const { characters, items, fields } = shortening;
  if (typeof value === 'string') {
    if (value.length <= characters) return value;
    return `${value.slice(0, characters).toWellFormed()}… (${value.length} characters)`;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    const kept = list.slice(0, items).map((item) => shortened(item, shortening));
    return list.length > items ? [...kept, `… (${list.length} items)`] : kept;
  }
  const entries = Object.entries(value);
  const kept = entries
    .slice(0, fields)
    .map(([name, field]): [string, unknown] => [name, shortened(field, shortening)]);
  return Object.fromEntries(entries.length > fields ? [...kept, ['…', `${entries.length} fields`]] : kept);
}
