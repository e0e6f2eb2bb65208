import { type Tally, ZERO_TALLY } from '#load/protocol';

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

/** A tally as JSON has it: `notSent` is `not_sent`. */
export type TallyRecord = { readonly [Name in keyof Tally as SnakeCase<Name>]: number };

const NAMES = (Object.keys(ZERO_TALLY) as (keyof Tally)[]).map(
  (name) =>
    [name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as keyof TallyRecord] as const,
);

export function tallyRecord(tally: Tally): TallyRecord {
  const entries = NAMES.map(([name, inJson]) => [inJson, tally[name]] as const);
  return Object.fromEntries(entries) as Record<keyof TallyRecord, number>;
}

/** What an earlier version did not count is zero. */
export function tallyOf(record: Partial<TallyRecord>): Tally {
  const entries = NAMES.map(([name, inJson]) => [name, record[inJson] ?? 0] as const);
  return Object.fromEntries(entries) as Record<keyof Tally, number>;
}
