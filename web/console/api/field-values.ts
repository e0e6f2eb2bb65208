import { type Completion, quoted } from '../pql/complete-pql.ts';
import { query } from './generated/sdk.gen.ts';

/** Values are not listed for a field with more distinct values than this. */
const VALUES_MAX = 40;
const TIMEOUT_MS = 2_000;

export interface CountedValue {
  readonly value: string | number | boolean;
  readonly count: number;
}

/** The values of fields with few distinct values, read on demand. */
export class FieldValues {
  readonly #values = new Map<string, Promise<readonly CountedValue[]>>();

  /** The most frequent first. Empty for a field with many values, and for a field of any entity. */
  of({ classes, property }: NonNullable<Completion['valuesOf']>): Promise<readonly CountedValue[]> {
    if (classes.length === 0) return Promise.resolve([]);
    const pql = `FIND (${classes.map(quoted).join('|')}) GROUP BY ${quoted(property)}`;
    const values = this.#values.get(pql) ?? readValues(pql);
    this.#values.set(pql, values);
    return values;
  }

  forget(): void {
    this.#values.clear();
  }
}

async function readValues(pql: string): Promise<readonly CountedValue[]> {
  const { data } = await query({ body: { pql, limit: VALUES_MAX + 1, timeout_ms: TIMEOUT_MS } });
  if (typeof data !== 'object' || data.groups === undefined || data.count > VALUES_MAX) return [];
  const values = data.groups.flatMap(({ key, count }) => (isScalar(key) ? [{ value: key, count }] : []));
  return values.sort((a, b) => b.count - a.count);
}

function isScalar(value: unknown): value is CountedValue['value'] {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
