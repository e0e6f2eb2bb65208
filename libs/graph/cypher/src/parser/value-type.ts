/** Types of values after `IS ::`: `INTEGER NOT NULL`, `LIST<STRING | DATE>`, `ANY<…>`. */
import { nearestName } from '#platform/foundation';
import type { ValueType } from '../syntax/value-type.ts';
import type { Cursor } from './cursor.ts';

/** Synonyms, in upper case with single spaces. */
const TYPE_SYNONYMS: Readonly<Record<string, string>> = {
  BOOLEAN: 'BOOLEAN',
  STRING: 'STRING',
  INTEGER: 'INTEGER',
  FLOAT: 'FLOAT',
  DATE: 'DATE',
  'LOCAL TIME': 'LOCAL TIME',
  'ZONED TIME': 'ZONED TIME',
  'LOCAL DATETIME': 'LOCAL DATETIME',
  'ZONED DATETIME': 'ZONED DATETIME',
  DURATION: 'DURATION',
  POINT: 'POINT',
  NODE: 'NODE',
  RELATIONSHIP: 'RELATIONSHIP',
  MAP: 'MAP',
  LIST: 'LIST',
  PATH: 'PATH',
  BOOL: 'BOOLEAN',
  VARCHAR: 'STRING',
  INT: 'INTEGER',
  'SIGNED INTEGER': 'INTEGER',
  'TIME WITHOUT TIME ZONE': 'LOCAL TIME',
  'TIME WITHOUT TIMEZONE': 'LOCAL TIME',
  'TIME WITH TIME ZONE': 'ZONED TIME',
  'TIME WITH TIMEZONE': 'ZONED TIME',
  'TIMESTAMP WITHOUT TIME ZONE': 'LOCAL DATETIME',
  'TIMESTAMP WITHOUT TIMEZONE': 'LOCAL DATETIME',
  'TIMESTAMP WITH TIME ZONE': 'ZONED DATETIME',
  'TIMESTAMP WITH TIMEZONE': 'ZONED DATETIME',
  VERTEX: 'NODE',
  'ANY NODE': 'NODE',
  'ANY VERTEX': 'NODE',
  EDGE: 'RELATIONSHIP',
  'ANY RELATIONSHIP': 'RELATIONSHIP',
  'ANY EDGE': 'RELATIONSHIP',
  'ANY MAP': 'MAP',
  ARRAY: 'LIST',
  PATHS: 'PATH',
  ANY: 'ANY',
  'ANY VALUE': 'ANY',
  'PROPERTY VALUE': 'PROPERTY VALUE',
  'ANY PROPERTY VALUE': 'PROPERTY VALUE',
  NOTHING: 'NOTHING',
  NULL: 'NULL',
};

/** Words of the longest name of a type. */
const WORDS_MAX = 5;

/** After `IS`, whether a test of a type follows; steps over `[NOT] ::` and `[NOT] TYPED`. */
export function acceptTypeTest(cursor: Cursor): { readonly isNegated: boolean } | undefined {
  if (cursor.isSymbol(':') && cursor.isSymbol(':', 1)) return skipped(cursor, 2, false);
  if (!cursor.isKeyword('IS')) return undefined;
  const isNegated = cursor.isKeyword('NOT', 1);
  const at = isNegated ? 2 : 1;
  if (cursor.isSymbol(':', at) && cursor.isSymbol(':', at + 1)) return skipped(cursor, at + 2, isNegated);
  return cursor.isKeyword('TYPED', at) ? skipped(cursor, at + 1, isNegated) : undefined;
}

function skipped(cursor: Cursor, tokens: number, isNegated: boolean): { readonly isNegated: boolean } {
  for (let passed = 0; passed < tokens; passed++) cursor.advance();
  return { isNegated };
}

export function parseValueType(cursor: Cursor): ValueType {
  const options = [parseOption(cursor)];
  while (!cursor.isBarReserved && cursor.acceptSymbol('|')) options.push(parseOption(cursor));
  const [only] = options;
  return options.length === 1 && only !== undefined ? only : { name: 'ANY', options, isNotNull: false };
}

function parseOption(cursor: Cursor): ValueType {
  let type = withNull(cursor, parseName(cursor));
  while (cursor.isKeyword('LIST') || cursor.isKeyword('ARRAY')) {
    cursor.advance();
    type = withNull(cursor, { name: 'LIST', item: type });
  }
  return type;
}

function withNull(cursor: Cursor, type: Omit<ValueType, 'isNotNull'>): ValueType {
  return { ...type, isNotNull: cursor.acceptPhrase('NOT', 'NULL') || cursor.acceptSymbol('!') };
}

function parseName(cursor: Cursor): Omit<ValueType, 'isNotNull'> {
  const name = acceptName(cursor);
  if (name === undefined) {
    const nearest = nearestName(cursor.token.text, Object.keys(TYPE_SYNONYMS));
    const hint = nearest === undefined ? undefined : `did you mean ${nearest}?`;
    throw cursor.fault('the name of a type such as INTEGER', { hint });
  }
  if ((name !== 'LIST' && name !== 'ANY') || !cursor.isSymbol('<')) return { name };
  cursor.advance();
  const inner = cursor.nested(() => cursor.reservingBar(false, () => parseValueType(cursor)));
  cursor.expectSymbol('>');
  return name === 'LIST' ? { name, item: inner } : { name, options: [inner] };
}

/** The longest row of words that names a type. */
function acceptName(cursor: Cursor): string | undefined {
  for (let count = WORDS_MAX; count > 0; count--) {
    const words = Array.from({ length: count }, (_, ahead) => cursor.peek(ahead).keyword).join(' ');
    if (!Object.hasOwn(TYPE_SYNONYMS, words)) continue;
    skipped(cursor, count, false);
    return TYPE_SYNONYMS[words];
  }
  return undefined;
}
