import { KEYWORDS } from '#graph/query';
import { FORMATS } from '../query.ts';
import type { NamesInData } from '../target/target.ts';
import type { Language } from './statement-reader.ts';

// prettier-ignore
const CYPHER_KEYWORDS = [
  'ALL', 'AND', 'AS', 'ASC', 'BY', 'CALL', 'CASE', 'CONTAINS', 'COUNT', 'CREATE', 'DELETE', 'DESC', 'DETACH',
  'DISTINCT', 'ELSE', 'END', 'ENDS', 'EXISTS', 'EXPLAIN', 'FALSE', 'FOREACH', 'IN', 'IS', 'LIMIT', 'MATCH', 'MERGE',
  'NOT', 'NULL', 'ON', 'OPTIONAL', 'OR', 'ORDER', 'PROFILE', 'REMOVE', 'RETURN', 'SET', 'SHOW', 'SKIP', 'STARTS',
  'THEN', 'TRUE', 'UNION', 'UNWIND', 'WHEN', 'WHERE', 'WITH', 'XOR', 'YIELD',
] as const;
const WORDS: Readonly<Record<Language, readonly string[]>> = { pql: KEYWORDS, cypher: CYPHER_KEYWORDS };
const PLAIN_NAME = /^[\p{ID_Start}_]\p{ID_Continue}*$/u;
const LAST_WORD = /[$:]?[\p{ID_Continue}`]*$/u;

export interface CompletionContext {
  readonly language: Language;
  readonly names: NamesInData | undefined;
  readonly parameters: readonly string[];
  /** Names of commands, with their colons. */
  readonly commands: readonly string[];
}

/** What may stand in place of the last word of a line, and that word, as readline wants it. */
export function completionsOf(line: string, context: CompletionContext): [string[], string] {
  if (line.startsWith(':')) return commandCompletions(line, context.commands);
  const word = LAST_WORD.exec(line)?.[0] ?? '';
  if (word.startsWith('$'))
    return [
      fitting(
        context.parameters.map((name) => `$${name}`),
        word,
      ),
      word,
    ];
  const before = word.startsWith(':') ? ':' : '';
  const text = word.slice(before.length).replace(/^`/, '');
  if (text === '') return [[], word];
  const names = namesOf(context.names).map((name) => before + quoted(name));
  const keywords = before === '' ? WORDS[context.language] : [];
  const lower = word === word.toLowerCase() && word !== word.toUpperCase();
  const cased = keywords.map((keyword) => (lower ? keyword.toLowerCase() : keyword));
  return [[...new Set([...fitting(names, word), ...fitting(cased, word)])], word];
}

function commandCompletions(line: string, commands: readonly string[]): [string[], string] {
  const format = /^:format\s+(\S*)$/.exec(line)?.[1];
  if (format !== undefined) return [fitting(FORMATS, format), format];
  return [fitting(commands, line), line];
}

function namesOf(names: NamesInData | undefined): readonly string[] {
  if (names === undefined) return [];
  const { classes, types, labels = [], verbs } = names;
  const properties = types.flatMap((type) => type.properties);
  return [...new Set([...types, ...classes, ...labels, ...verbs, ...properties].map(({ name }) => name))];
}

function quoted(name: string): string {
  return PLAIN_NAME.test(name) ? name : `\`${name.replaceAll('`', '``')}\``;
}

/** In the case that is typed; in any case if there are none. */
function fitting(words: readonly string[], start: string): string[] {
  const exact = words.filter((word) => word.replaceAll('`', '').startsWith(start.replaceAll('`', '')));
  if (exact.length > 0) return exact.sort();
  const wanted = start.toLowerCase().replaceAll('`', '');
  return words.filter((word) => word.toLowerCase().replaceAll('`', '').startsWith(wanted)).sort();
}
