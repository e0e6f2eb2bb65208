/** Cuts lists of records down to what a model is given at once, and says so. */

/** What was left out. */
export interface ListCut {
  readonly shown: number;
  readonly of: number;
  /** Which bound was met. */
  readonly bound: 'rows' | 'bytes';
  readonly hint: string;
}

export interface FittedItems {
  readonly items: readonly unknown[];
  /** Items in which long texts and lists were shortened. */
  readonly shortened: number;
}

export const LIST_BYTES_MAX = 64 * 1024;
const ITEM_BYTES_MAX = 32 * 1024;
/** Tried in turn on an item that is too large. */
const SHORTENINGS = [
  { characters: 512, items: 100, fields: 64 },
  { characters: 64, items: 16, fields: 32 },
];
type Shortening = (typeof SHORTENINGS)[number];

/** Who saw a record, and when: what REST shows of it besides. */
const STAMPS = new Set(['source', 'created_at', 'updated_at', 'last_seen_at', 'version']);

/** As many from the beginning as there is room for. Items come without their stamps. */
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

/** Undefined when all are shown. */
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
