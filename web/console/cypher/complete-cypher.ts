/**
 * Completion candidates at a position of a statement, from the tokens before it and the schema of the data.
 * As for PQL it uses no grammar, so that an incomplete statement is completed too.
 */
import type { Candidate, Completion, Vocabulary } from '../pql/complete-pql.ts';
import { type CypherToken, cypherTokens } from './scan-cypher.ts';

export const KEYWORDS = [
  'MATCH', 'OPTIONAL MATCH', 'WHERE', 'RETURN', 'WITH', 'UNWIND', 'AS', 'ORDER BY', 'SKIP', 'LIMIT', 'DISTINCT', 'DESC',
  'ASC', 'UNION', 'UNION ALL', 'CALL', 'YIELD', 'EXISTS', 'COUNT', 'COLLECT', 'CASE', 'WHEN', 'THEN', 'ELSE', 'END',
  'AND', 'OR', 'XOR', 'NOT', 'IN', 'IS NULL', 'IS NOT NULL', 'STARTS WITH', 'ENDS WITH', 'CONTAINS', 'CREATE', 'MERGE',
  'ON CREATE SET', 'ON MATCH SET', 'SET', 'REMOVE', 'DELETE', 'DETACH DELETE', 'FOREACH', 'SHOW INDEXES',
  'SHOW CONSTRAINTS', 'SHOW FUNCTIONS', 'SHOW PROCEDURES', 'EXPLAIN', 'PROFILE', 'true', 'false', 'null',
]; // prettier-ignore
const RECORD_FIELDS = ['_key', '_type', '_class', '_source', '_display_name'];
const PLAIN_NAME = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u;
const OPENERS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** The candidates at `at`; `functions` are the names that the service has. */
export function completeCypher(
  text: string,
  at: number,
  { vocabulary, functions }: { readonly vocabulary: Vocabulary; readonly functions: readonly string[] },
): Completion {
  const tokens = cypherTokens(text.slice(0, at));
  const last = tokens.at(-1);
  const isInWord = last?.end === at && (last.kind === 'word' || last.kind === 'name');
  const before = isInWord ? tokens.slice(0, -1) : tokens;
  const from = isInWord ? last.start : at;
  if (last?.end === at && ['string', 'comment', 'parameter'].includes(last.kind))
    return { from, candidates: [] };
  return { from, candidates: candidatesAfter(before, { vocabulary, functions }) };
}

function candidatesAfter(
  before: readonly CypherToken[],
  { vocabulary, functions }: { readonly vocabulary: Vocabulary; readonly functions: readonly string[] },
): readonly Candidate[] {
  const word = before.at(-1)?.text ?? '';
  const opener = openerOf(before);
  if ([':', '|', '&', '!'].includes(word))
    return opener === '[' ? typeNames(vocabulary) : labelNames(vocabulary);
  if (word === '.') return propertyNames(vocabulary, labelsOf(before, before.at(-2)?.text ?? ''));
  if (opener === '{' && (word === '{' || word === ',')) return propertyNames(vocabulary, labelsIn(before));
  return [
    ...variables(before),
    ...KEYWORDS.map((text) => ({ text, kind: 'keyword' }) as const),
    ...functions.map((name) => ({ text: `${name}(`, kind: 'function' }) as const),
  ];
}

/** The innermost bracket that is open. */
function openerOf(tokens: readonly CypherToken[]): string {
  const open: string[] = [];
  for (const { text, kind } of tokens) {
    if (kind !== 'symbol') continue;
    if ('([{'.includes(text)) open.push(text);
    else if (OPENERS[text] !== undefined && open.at(-1) === OPENERS[text]) open.pop();
  }
  return open.at(-1) ?? '';
}

function labelNames({ types, classes, labels = [] }: Vocabulary): readonly Candidate[] {
  return [
    ...types.map(({ name, count }) => ({ text: quoted(name), kind: 'type', count }) as const),
    ...classes.map(({ name, count }) => ({ text: quoted(name), kind: 'class', count }) as const),
    ...labels.map(({ name, count }) => ({ text: quoted(name), kind: 'label', count }) as const),
  ];
}

function typeNames({ verbs }: Vocabulary): readonly Candidate[] {
  return verbs.map(({ name, count }) => ({ text: quoted(name), kind: 'verb', count }) as const);
}

/** Of the labels, or of all where none is known. */
function propertyNames({ types }: Vocabulary, labels: readonly string[]): readonly Candidate[] {
  const own = types.filter(({ name, classes, labels: further = [] }) =>
    [name, ...classes, ...further].some((each) => labels.includes(each)),
  );
  const counts = new Map<string, number>();
  for (const { properties } of own.length > 0 ? own : types) {
    for (const { name, count } of properties) counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return [
    ...Array.from(counts, ([name, count]) => ({ text: quoted(name), kind: 'property', count }) as const),
    ...RECORD_FIELDS.map((text) => ({ text, kind: 'field' }) as const),
  ];
}

/** The labels that a pattern gives the variable: `(n:A|B`. */
function labelsOf(tokens: readonly CypherToken[], variable: string): readonly string[] {
  const at = tokens.findIndex(
    ({ text }, index) =>
      text === variable && tokens[index - 1]?.text === '(' && tokens[index + 1]?.text === ':',
  );
  return at < 0 ? [] : labelsFrom(tokens.slice(at + 1));
}

/** The labels of the pattern whose map is open: `(n:A {`. */
function labelsIn(tokens: readonly CypherToken[]): readonly string[] {
  const map = tokens.findLastIndex(({ text }) => text === '{');
  const opener = tokens.findLastIndex(({ text }, index) => index < map && text === '(');
  const colon = tokens.findIndex(({ text }, index) => index > opener && index < map && text === ':');
  return colon < 0 ? [] : labelsFrom(tokens.slice(colon));
}

function labelsFrom(tokens: readonly CypherToken[]): readonly string[] {
  const labels: string[] = [];
  for (const { text, kind } of tokens) {
    if (kind === 'word' || kind === 'name') labels.push(text.replaceAll('`', ''));
    else if (![':', '|', '&'].includes(text)) break;
  }
  return labels;
}

/** The names that patterns, AS and UNWIND have bound so far. */
function variables(tokens: readonly CypherToken[]): readonly Candidate[] {
  const names = tokens.filter(({ kind }, index) => {
    if (kind !== 'word' && kind !== 'name') return false;
    const previous = tokens[index - 1]?.text.toUpperCase() ?? '';
    const next = tokens[index + 1]?.text ?? '';
    const isInPattern = ['(', '['].includes(previous) && [':', ')', ']', '{', '*'].includes(next);
    return isInPattern || previous === 'AS' || (next === '=' && previous === 'MATCH');
  });
  return [...new Set(names.map(({ text }) => text))].map((text) => ({ text, kind: 'alias' }) as const);
}

/** A name in the syntax of a statement. */
export function quoted(name: string): string {
  return PLAIN_NAME.test(name) ? name : `\`${name.replaceAll('`', '``')}\``;
}
