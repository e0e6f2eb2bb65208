import type { WritingSource } from '../overlay/pending-changes.ts';
import { runtimeFault } from '../syntax/fault.ts';
import { isList, type CypherMap, type Value } from '../value/value.ts';

/** The source of what Cypher writes where the transaction names none. */
const SOURCE = 'cypher';
const SOURCE_LENGTH_MAX = 256;

/** `source` and `sources` of a transaction's metadata; other names are the client's own. */
export function writingSourceOf(metadata: CypherMap | undefined): WritingSource {
  return {
    source: sourceOf(metadata?.get('source') ?? null),
    deletable: deletableOf(metadata?.get('sources') ?? null),
  };
}

function sourceOf(value: Value): string {
  if (value === null) return SOURCE;
  if (isSourceName(value)) return value;
  throw refused('source', `a String of 1 to ${String(SOURCE_LENGTH_MAX)} visible characters`);
}

function deletableOf(value: Value): WritingSource['deletable'] {
  if (value === null) return [];
  if (value === '*') return '*';
  if (isList(value) && value.every(isSourceName)) return value;
  throw refused('sources', "'*', or a List of the names of sources");
}

function isSourceName(value: Value): value is string {
  if (typeof value !== 'string' || value === '' || value.length > SOURCE_LENGTH_MAX) return false;
  return /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u.test(value);
}

function refused(name: string, expected: string): Error {
  return runtimeFault(
    'InvalidArgumentValue',
    'Neo.ClientError.Statement.ArgumentError',
    `the transaction's metadata, ${name}: expected ${expected}`,
  );
}
