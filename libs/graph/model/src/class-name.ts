import type { EntityInput, EntityStatement } from './ingest.ts';

const CACHE_MAX = 4_096;
const WORD_BREAK = /[^\p{L}\p{N}]+/u;
const cache = new Map<string, string>();

/** The class that a type has when none is said: its PascalCase, `aws_s3_bucket` → `AwsS3Bucket`. */
export function defaultClass(type: string): string {
  const known = cache.get(type);
  if (known !== undefined) return known;
  const name = type.split(WORD_BREAK).map(capitalise).join('') || type;
  if (cache.size >= CACHE_MAX) cache.clear();
  cache.set(type, name);
  return name;
}

function capitalise(word: string): string {
  const [first = ''] = word;
  return first.toUpperCase() + word.slice(first.length);
}

/** Fills in the defaults: the class from the type, the display name from the key. */
export function completeEntity(statement: EntityStatement): EntityInput {
  return {
    type: statement.type,
    key: statement.key,
    class: statement.class ?? defaultClass(statement.type),
    displayName: statement.displayName ?? statement.key,
    properties: statement.properties,
  };
}
