/**
 * Formats a query: a line for each hop and clause, keywords in upper case, one blank between separated
 * tokens. Tokens are otherwise unchanged, so that the meaning cannot change, and so are comments.
 */
import type { Query } from '../ast/ast.ts';
import { tokenize } from '../lexer/lexer.ts';
import type { Token } from '../lexer/token.ts';
import { parse } from '../parser/parser.ts';

/** A query of at most this many characters stays on one line. */
const ONE_LINE_MAX = 60;
const NEW_LINE = '\n  ';
const LITERALS: ReadonlySet<string> = new Set(['TRUE', 'FALSE', 'NULL']);
const COMMENT = /--[^\n]*|\/\*[^]*?\*\//g;
/** Clauses by their first words, and the number of these; the tree has the start of the text after them. */
const CLAUSES = { where: 1, groupBy: 2, having: 1, orderBy: 2 } as const;

/** Throws PQL_SYNTAX for an invalid query. */
export function formatQuery(text: string): string {
  const query = parse(text);
  const tokens = tokenize(text).slice(0, -1);
  const names = nameStarts(query);
  const write = (breaks: ReadonlySet<number>): string => {
    let written = '';
    let end = 0;
    for (const token of tokens) {
      const isBreak = breaks.has(token.start);
      written += between(text.slice(end, token.start), isBreak, written === '') + spelled(text, token, names);
      end = token.end;
    }
    return (written + between(text.slice(end), false, false)).trim();
  };
  const onOneLine = write(new Set());
  const isShort = onOneLine.length <= ONE_LINE_MAX && !onOneLine.includes('\n');
  return isShort ? onOneLine : write(breakStarts(query, tokens));
}

function spelled(text: string, { start, end, keyword }: Token, names: ReadonlySet<number>): string {
  const isAsWritten = keyword === '' || LITERALS.has(keyword) || names.has(start);
  return isAsWritten ? text.slice(start, end) : keyword;
}

/** The text between two tokens: a line break, a blank or nothing, and the original comments. */
function between(gap: string, isBreak: boolean, isFirst: boolean): string {
  let written = '';
  let end = 0;
  for (const { 0: comment, index } of gap.matchAll(COMMENT)) {
    const isOnNewLine = gap.slice(end, index).includes('\n');
    const blank = isOnNewLine ? NEW_LINE : ' ';
    written += (written.endsWith('\n') ? '  ' : blank) + comment;
    end = index + comment.length;
    if (comment.startsWith('--')) written += '\n';
  }
  if (isFirst) return written.trimStart();
  if (written.endsWith('\n')) return `${written}  `;
  return written + (isBreak ? NEW_LINE : gap === '' ? '' : ' ');
}

/** The line starts: hops, clauses and the ends of a search. */
function breakStarts({ body }: Query, tokens: readonly Token[]): ReadonlySet<number> {
  if (body.kind !== 'find') {
    const parts = [body.kind === 'path' ? body.to : undefined, body.via];
    const starts = parts.flatMap((part) => (part === undefined ? [] : [part.span.start]));
    return new Set(starts.map((start) => wordsBefore(tokens, start, 1)));
  }
  const { hops, where, groupBy, having, returns, orderBy } = body;
  const clauses = { where, groupBy: groupBy[0], having, orderBy: orderBy[0]?.value };
  return new Set([
    ...hops.map(({ span }) => span.start),
    ...(returns === undefined ? [] : [returns.span.start]),
    ...Object.entries(CLAUSES).flatMap(([name, words]) => {
      const first = clauses[name as keyof typeof clauses];
      return first === undefined ? [] : [wordsBefore(tokens, first.span.start, words)];
    }),
  ]);
}

/** The start of the keywords before an offset, possibly with parentheses between. */
function wordsBefore(tokens: readonly Token[], start: number, words: number): number {
  let index = tokens.findIndex((token) => token.start >= start) - 1;
  while (index > 0 && tokens[index]?.keyword === '') index--;
  return tokens[index - words + 1]?.start ?? start;
}

/** Positions of names, since keywords may be names. */
function nameStarts(query: Query): ReadonlySet<number> {
  const starts = new Set<number>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('text' in value && 'span' in value) starts.add((value.span as Query['span']).start);
    Object.values(value).forEach(visit);
  };
  visit(query);
  return starts;
}
