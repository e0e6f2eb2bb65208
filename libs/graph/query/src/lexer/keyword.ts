/** The aggregate functions. To add one: its keyword here, its accumulator where the compiler asks for it. */
export const AGGREGATES = ['AVG', 'COUNT', 'MAX', 'MIN', 'SUM'] as const;

/** The keywords. Most may also be names: see {@link isReserved}. */
// prettier-ignore
export const KEYWORDS = [
  ...AGGREGATES,
  'ALL', 'AND', 'AS', 'ASC', 'BETWEEN', 'BLAST', 'BY', 'CONCAT', 'CONTAINS', 'DEPTH', 'DESC', 'DISTINCT', 'EACH', 'ENDS', 'EXISTS',
  'EXPLAIN', 'FALSE', 'FIND', 'FROM', 'GROUP', 'HAVING', 'ILIKE', 'IN', 'IS', 'LIKE', 'LIMIT', 'NOT', 'NOW',
  'NULL', 'OF', 'OR', 'ORDER', 'PATH', 'PATHS', 'PROFILE', 'RADIUS', 'RELATES', 'RETURN', 'SHORTEST', 'SKIP', 'STARTS',
  'THAT', 'TO', 'TRUE', 'UNIQUE', 'VIA', 'WHERE', 'WITH',
] as const;

export type Keyword = (typeof KEYWORDS)[number];

const LONGEST = Math.max(...KEYWORDS.map((keyword) => keyword.length));
const ASCII_LETTERS = /^[a-z]+$/i;
const RESERVED: ReadonlySet<Keyword> = new Set(['FIND', 'THAT', 'WITH', 'WHERE', 'AS', 'NOT', 'RETURN']);
const BY_UPPER: ReadonlyMap<string, Keyword> = new Map(KEYWORDS.map((keyword) => [keyword, keyword]));
/** Upper and lower case, so that the usual spellings need no conversion. */
const BY_SPELLING: ReadonlyMap<string, Keyword> = new Map(
  KEYWORDS.flatMap((keyword) => [[keyword, keyword] as const, [keyword.toLowerCase(), keyword] as const]),
);

/** The keyword that a word spells in any case of ASCII letters, or the empty string. */
export function keywordOf(word: string): Keyword | '' {
  if (word.length > LONGEST) return '';
  const usual = BY_SPELLING.get(word);
  if (usual !== undefined) return usual;
  return ASCII_LETTERS.test(word) ? (BY_UPPER.get(word.toUpperCase()) ?? '') : '';
}

/** Whether a bare word cannot be a name. */
export function isReserved(keyword: Keyword | ''): boolean {
  return keyword !== '' && RESERVED.has(keyword);
}
