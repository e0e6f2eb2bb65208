/**
 * A tokenizer of PQL for the editor: line by line, with the token that is open at the start of a line. It
 * follows the lexer of the service, and a test compares the two; faults are reported by the service, so
 * characters that start no token are skipped here.
 */

/** The token that is open at the start of a line. */
export type OpenToken = '' | 'comment' | 'single' | 'double' | 'name';

export type PqlTokenKind =
  | 'keyword'
  | 'word'
  | 'name'
  | 'field'
  | 'string'
  | 'number'
  | 'date'
  | 'parameter'
  | 'symbol'
  | 'comment'
  | 'blank';

export interface PqlToken {
  readonly kind: PqlTokenKind;
  readonly start: number;
  readonly end: number;
}

interface LineToken {
  readonly kind: PqlTokenKind;
  /** Position in the line. */
  readonly end: number;
  readonly open: OpenToken;
}

// prettier-ignore
export const PQL_KEYWORDS = [
  'ALL', 'AND', 'AS', 'ASC', 'AVG', 'BETWEEN', 'BLAST', 'BY', 'CONCAT', 'CONTAINS', 'COUNT', 'DEPTH', 'DESC', 'DISTINCT',
  'EACH', 'ENDS', 'EXISTS', 'EXPLAIN', 'FALSE', 'FIND', 'FROM', 'GROUP', 'HAVING', 'ILIKE', 'IN', 'IS', 'LIKE',
  'LIMIT', 'MAX', 'MIN', 'NOT', 'NOW', 'NULL', 'OF', 'OR', 'ORDER', 'PATH', 'PATHS', 'PROFILE', 'RADIUS', 'RELATES',
  'RETURN', 'SHORTEST', 'SKIP', 'STARTS', 'SUM', 'THAT', 'TO', 'TRUE', 'UNIQUE', 'VIA', 'WHERE', 'WITH',
] as const;

const KEYWORDS: ReadonlySet<string> = new Set(PQL_KEYWORDS);

/** Each is tried at the end of the previous token; sticky, so that nothing is copied. */
const PATTERNS = [
  ['blank', /[\s\u200B]+/uy],
  ['comment', /--.*/y],
  ['date', /date[ \t]*\([ \t]*\d[\d:.tz+-]*[ \t]*\)/iy],
  ['word', /[\p{ID_Start}_]\p{ID_Continue}*/uy],
  ['number', /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y],
  [
    'parameter',
    /\$(?:\d+|[\p{ID_Start}_]\p{ID_Continue}*|\{[ \t]*param\.[\p{ID_Start}_]\p{ID_Continue}*[ \t]*\})/uy,
  ],
  ['field', /\[[^\]]+\]/y],
  ['symbol', /!\^=|!\$=|!~=|\.\.|>>|<<|<>|!=|<=|>=|\^=|\$=|~=|=~|[(){}|,.;*/!?=<>+-]/y],
] as const satisfies readonly (readonly [PqlTokenKind, RegExp])[];

const OPENERS: readonly (readonly [string, Exclude<OpenToken, ''>])[] = [
  ['/*', 'comment'],
  ["'", 'single'],
  ['"', 'double'],
  ['`', 'name'],
];

/** The rest of an open token, including its end. */
const CLOSERS: Readonly<Record<Exclude<OpenToken, ''>, RegExp>> = {
  comment: /(?:(?!\*\/).)*(?<close>\*\/)?/sy,
  single: /(?:\\[\\'"]|''|[^'])*(?<close>')?/y,
  double: /(?:\\[\\'"]|[^"])*(?<close>")?/y,
  name: /(?:``|[^`])*(?<close>`)?/y,
};

const KINDS = { comment: 'comment', single: 'string', double: 'string', name: 'name' } as const;

/** The token that starts in `line` at `at`, or continues there. */
export function scanPql(line: string, at: number, open: OpenToken): LineToken {
  if (open !== '') return closeToken(line, at, open);
  const opener = OPENERS.find(([text]) => line.startsWith(text, at));
  if (opener !== undefined) return closeToken(line, at + opener[0].length, opener[1]);
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = at;
    const [text] = pattern.exec(line) ?? [];
    if (text === undefined) continue;
    const isKeyword = kind === 'word' && isPqlKeyword(text);
    return { kind: isKeyword ? 'keyword' : kind, end: at + text.length, open: '' };
  }
  return { kind: 'blank', end: at + String.fromCodePoint(line.codePointAt(at) ?? 0).length, open: '' };
}

export function isPqlKeyword(word: string): boolean {
  return /^[a-z]+$/i.test(word) && KEYWORDS.has(word.toUpperCase());
}

function closeToken(line: string, at: number, open: Exclude<OpenToken, ''>): LineToken {
  const pattern = CLOSERS[open];
  pattern.lastIndex = at;
  const match = pattern.exec(line);
  const isClosed = match?.groups?.['close'] !== undefined;
  return { kind: KINDS[open], end: at + (match?.[0].length ?? 0), open: isClosed ? '' : open };
}

/** The text in quotes that is not closed; undefined if there is none. */
export function openText(text: string): { readonly from: number; readonly quote: '"' | "'" } | undefined {
  const { open, start } = scanAll(text);
  if (open !== 'single' && open !== 'double') return undefined;
  return { from: start, quote: open === 'single' ? "'" : '"' };
}

/** All tokens of a text except blanks and comments. */
export function pqlTokens(text: string): readonly PqlToken[] {
  return scanAll(text).tokens;
}

/** The tokens, and the one that is open at the end with its start. */
function scanAll(text: string): {
  readonly tokens: readonly PqlToken[];
  readonly open: OpenToken;
  readonly start: number;
} {
  const tokens: PqlToken[] = [];
  let open: OpenToken = '';
  let start = 0;
  let lineStart = 0;
  for (const line of text.split('\n')) {
    for (let at = 0; at < line.length;) {
      if (open === '') start = lineStart + at;
      const token = scanPql(line, at, open);
      at = token.end;
      open = token.open;
      const isShown = token.kind !== 'blank' && token.kind !== 'comment';
      if (open === '' && isShown) tokens.push({ kind: token.kind, start, end: lineStart + at });
    }
    lineStart += line.length + 1;
  }
  return { tokens, open, start };
}
