import type {
  BlastQuery,
  CountValue,
  EndPattern,
  FindQuery,
  HopDirection,
  PathQuery,
  Query,
  QueryMode,
  ViaPattern,
} from '../ast/ast.ts';
import type { Keyword } from '../lexer/keyword.ts';
import { tokenize } from '../lexer/lexer.ts';
import { syntaxFault } from '../syntax/fault.ts';
import { QUERY_BYTES_MAX } from '../syntax/limits.ts';
import { parseGroupBy, parseOrderBy, parseReturn, parseWhere } from './clause.ts';
import { parseAsOf } from './as-of.ts';
import { Cursor } from './cursor.ts';
import { endFault } from './end-fault.ts';
import { isClassAhead, parseHops, parseNode } from './pattern.ts';
import { parseCount, parseInteger } from './value.ts';
import { parseVerbs } from './verbs.ts';

/**
 * Parses PQL: recursive descent over {@link tokenize}, with one token of lookahead except for phrases such as
 * GROUP BY. Every node is frozen and carries its span. Invalid text is a PQL_SYNTAX error at the first
 * character of its first fault, with `SyntaxDetails`; names are resolved later, by `bind`.
 */
export function parse(text: string): Query {
  refuseLongText(text);
  const cursor = new Cursor(text, tokenize(text));
  const mode = parseQueryMode(cursor);
  const body = parseBody(cursor);
  const asOf = parseAsOf(cursor);
  cursor.acceptSymbol(';');
  if (cursor.token.kind !== 'end') throw endFault(cursor, body);
  const span = Object.freeze({ start: 0, end: text.length });
  return Object.freeze({ span, mode, body, ...(asOf && { asOf }) });
}

/** The limit is in bytes; the fault is at the first character beyond it. */
function refuseLongText(text: string): void {
  const isShort = text.length * 3 <= QUERY_BYTES_MAX;
  if (isShort || Buffer.byteLength(text) <= QUERY_BYTES_MAX) return;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(QUERY_BYTES_MAX));
  throw syntaxFault(text, { start: read, end: text.length }, `a query has at most ${QUERY_BYTES_MAX} bytes`);
}

function parseQueryMode(cursor: Cursor): QueryMode {
  if (cursor.acceptKeyword('EXPLAIN')) return 'explain';
  return cursor.acceptKeyword('PROFILE') ? 'profile' : 'run';
}

function parseBody(cursor: Cursor): Query['body'] {
  const { start } = cursor.token;
  const isFind = cursor.isKeyword('FIND');
  const isPhrase = (first: Keyword, second: Keyword): boolean =>
    isPhraseAt(cursor, isFind ? 1 : 0, first, second);
  if (isPhrase('SHORTEST', 'PATH') || isPhrase('ALL', 'SHORTEST')) return parsePath(cursor, start);
  if (isPhrase('BLAST', 'RADIUS')) return parseBlast(cursor, start);
  if (!isFind)
    throw cursor.fault('FIND', {
      expected: ['FIND', 'SHORTEST PATH', 'BLAST RADIUS', ...modes(cursor)],
      hint: foreignHint(cursor.token.text),
    });
  cursor.advance();
  return parseFind(cursor, start);
}

/** The first words of other query languages. */
const FOREIGN: ReadonlyMap<string, string> = new Map([
  ...['MATCH', 'OPTIONAL', 'MERGE', 'CREATE', 'UNWIND', 'CALL'].map((word) => [word, 'Cypher'] as const),
  ...['SELECT', 'INSERT', 'UPDATE', 'DELETE'].map((word) => [word, 'SQL'] as const),
]);

function foreignHint(word: string): string | undefined {
  const language = FOREIGN.get(word.toUpperCase());
  if (language === undefined) return undefined;
  const way = language === 'Cypher' ? 'ask it as Cypher, or begin with FIND' : 'begin with FIND';
  return `this is ${language}: ${way}; docs/pql.md has a table "From Cypher and J1QL"`;
}

function modes(cursor: Cursor): readonly string[] {
  return cursor.previous.kind === 'end' ? ['EXPLAIN', 'PROFILE'] : [];
}

/** Whether two keywords follow at this many tokens ahead. */
function isPhraseAt(cursor: Cursor, ahead: number, first: Keyword, second: Keyword): boolean {
  return cursor.peek(ahead).keyword === first && cursor.peek(ahead + 1).keyword === second;
}

/** `FIND [UNIQUE] node { hop } [where] [group] [return] [order] [skip] [limit]` */
function parseFind(cursor: Cursor, start: number): FindQuery {
  const isUnique = cursor.token.keyword === 'UNIQUE' && isClassAhead(cursor);
  if (isUnique) cursor.advance();
  const node = parseNode(cursor);
  const hops = parseHops(cursor);
  const where = parseWhere(cursor);
  const { groupBy, having } = parseGroupBy(cursor);
  const returns = parseReturn(cursor, isUnique);
  const orderBy = parseOrderBy(cursor);
  const skip = cursor.acceptKeyword('SKIP') ? parseCount(cursor) : undefined;
  const limit = parseLimit(cursor);
  return Object.freeze({
    kind: 'find',
    span: cursor.spanFrom(start),
    node,
    hops,
    ...(where && { where }),
    groupBy,
    ...(having && { having }),
    ...(returns && { returns }),
    orderBy,
    ...(skip && { skip }),
    ...(limit && { limit }),
  });
}

function parseLimit(cursor: Cursor): CountValue | undefined {
  return cursor.acceptKeyword('LIMIT') ? parseCount(cursor) : undefined;
}

/** `[FIND] (SHORTEST PATH | ALL SHORTEST PATHS) FROM [EACH] end TO end [via] [DEPTH int] [limit]` */
function parsePath(cursor: Cursor, start: number): PathQuery {
  cursor.acceptKeyword('FIND');
  const isAll = cursor.acceptKeyword('ALL');
  cursor.expectKeyword('SHORTEST');
  cursor.expectKeyword(isAll ? 'PATHS' : 'PATH');
  cursor.expectKeyword('FROM');
  const isEach = acceptEach(cursor);
  const from = parseEnd(cursor);
  cursor.expectKeyword('TO');
  const to = parseEnd(cursor);
  const via = parseVia(cursor);
  const depth = parseDepth(cursor);
  const limit = parseLimit(cursor);
  const path: PathQuery = { kind: 'path', span: cursor.spanFrom(start), from, to };
  const scope = Object.assign(path, isAll && { all: true }, isEach && { each: true }, via && { via });
  return Object.freeze(Object.assign(scope, depth !== undefined && { depth }, limit && { limit }));
}

/** EACH before a class. Before TO it is a class itself, as in `FROM each TO user`. */
function acceptEach(cursor: Cursor): boolean {
  const isEach = cursor.isKeyword('EACH') && cursor.peek().keyword !== 'TO' && isClassAhead(cursor);
  if (isEach) cursor.advance();
  return isEach;
}

/** `[FIND] BLAST RADIUS FROM end [via] [DEPTH int] [limit]` */
function parseBlast(cursor: Cursor, start: number): BlastQuery {
  cursor.acceptKeyword('FIND');
  cursor.acceptPhrase('BLAST', 'RADIUS');
  cursor.expectKeyword('FROM');
  const from = parseEnd(cursor);
  const via = parseVia(cursor);
  const depth = parseDepth(cursor);
  const limit = parseLimit(cursor);
  const blast: BlastQuery = { kind: 'blast', span: cursor.spanFrom(start), from };
  return Object.freeze(
    Object.assign(blast, via && { via }, depth !== undefined && { depth }, limit && { limit }),
  );
}

/** A node pattern, or a string: the key or id of an entity. */
function parseEnd(cursor: Cursor): EndPattern {
  const { kind, start, end, text } = cursor.token;
  if (kind !== 'string') return parseNode(cursor);
  cursor.advance();
  return Object.freeze({ kind: 'key', span: Object.freeze({ start, end }), text });
}

/** `[ VIA verbs [ >> | << | <> ] ]` */
function parseVia(cursor: Cursor): ViaPattern | undefined {
  const { start } = cursor.token;
  if (!cursor.acceptKeyword('VIA')) return undefined;
  const verbs = parseVerbs(cursor);
  const direction = parseViaDirection(cursor);
  return Object.freeze({ span: cursor.spanFrom(start), verbs, direction });
}

function parseViaDirection(cursor: Cursor): HopDirection {
  if (cursor.acceptSymbol('>>')) return 'out';
  if (cursor.acceptSymbol('<<')) return 'in';
  cursor.acceptSymbol('<>');
  return 'any';
}

function parseDepth(cursor: Cursor): number | undefined {
  return cursor.acceptKeyword('DEPTH') ? parseInteger(cursor) : undefined;
}
