/** Cypher in tokens, for colours, completion and parameters; any text has some. */
export type CypherTokenKind = 'word' | 'name' | 'string' | 'number' | 'parameter' | 'symbol' | 'comment';

export interface CypherToken {
  readonly kind: CypherTokenKind;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const TOKEN =
  /(?<comment>\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?)|(?<string>'(?:[^'\\]|\\[^])*'?|"(?:[^"\\]|\\[^])*"?)|(?<name>`(?:[^`]|``)*`?)|(?<parameter>\$(?:`[^`]*`|[\p{ID_Continue}]*))|(?<number>\d[\d.]*(?:[eE][+-]?\d+)?)|(?<word>[\p{ID_Start}_][\p{ID_Continue}]*)|(?<symbol>\S)/gu;

export function cypherTokens(text: string): readonly CypherToken[] {
  return Array.from(text.matchAll(TOKEN), ({ 0: found, index, groups = {} }) => {
    const kind = (Object.keys(groups) as CypherTokenKind[]).find((each) => groups[each] !== undefined);
    return { kind: kind ?? 'symbol', text: found, start: index, end: index + found.length };
  });
}

/** Names of the parameters, each once. */
export function cypherParameters(text: string): readonly string[] {
  const parameters = cypherTokens(text).filter(({ kind }) => kind === 'parameter');
  return [...new Set(parameters.map((token) => token.text.slice(1).replaceAll('`', '')))].filter(Boolean);
}

/** The words of all clauses that write, or may; also in texts and names, so that none is missed. */
const WRITING =
  /\\|\b(?:CREATE|MERGE|SET|DELETE|DETACH|REMOVE|FOREACH|CALL|DROP|INSERT|LOAD|ALTER|GRANT|REVOKE|START|STOP)\b/i;

/** Whether a statement surely only reads; others may. */
export function isReading(text: string): boolean {
  return /^\s*(?:OPTIONAL\s+)?MATCH\b/i.test(text) && !WRITING.test(text);
}
