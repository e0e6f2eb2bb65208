/** Named queries: their fields, and the checks of their text. */
import {
  array,
  checked,
  integer,
  object,
  optional,
  orEmpty,
  readShape,
  required,
  type Shape,
  text,
  withDefault,
  type YamlPath,
} from '#platform/config';
import { type DomainError } from '#platform/foundation';
import { PreparedQuery } from '../execute/engine/prepared-query.ts';
import { syntaxFault } from '../syntax/fault.ts';
import { PARAMETERS_SHAPE, type QueryParameter } from './query-parameter.ts';

/** Maximum number of saved queries. */
export const SAVED_QUERIES_MAX = 1_000;
export const NAME_LENGTH_MAX = 128;
export const TEXT_LENGTH_MAX = 16_384;
export const DESCRIPTION_LENGTH_MAX = 4_096;
const TAGS_MAX = 32;
const TAG_LENGTH_MAX = 64;
const ONE_LINE = /^[^\p{Cc}\p{Zl}\p{Zp}]*$/u;

/** A named query: plain JSON as in a file of queries. */
export interface SavedQuery {
  readonly name: string;
  readonly description: string;
  /** Text of the query in PQL. */
  readonly text: string;
  readonly tags: readonly string[];
  readonly parameters: Readonly<Record<string, QueryParameter>>;
}

/** One line of text, without spaces at its ends. */
export function line(lengthMax: number): Shape<string> {
  return checked(text(), (value) => {
    if (value.trim() === '' || value.trim() !== value) return 'expected a text without spaces at its ends';
    if (value.length > lengthMax) return `expected at most ${lengthMax} characters`;
    return value.isWellFormed() && ONE_LINE.test(value) ? undefined : 'expected one line of text';
  });
}

export function lines(lengthMax: number): Shape<string> {
  return checked(text(), (value) => {
    if (value.length > lengthMax) return `expected at most ${lengthMax} characters`;
    return value.isWellFormed() && !value.includes('\0')
      ? undefined
      : 'expected well-formed text without NUL';
  });
}

const SAVED_QUERY_SHAPE: Shape<SavedQuery> = object({
  name: required(line(NAME_LENGTH_MAX), 'unique, for people'),
  description: orEmpty(withDefault(lines(DESCRIPTION_LENGTH_MAX), '', 'what it tells')),
  text: required(lines(TEXT_LENGTH_MAX), 'PQL'),
  tags: orEmpty(
    withDefault(array(line(TAG_LENGTH_MAX), { min: 0, max: TAGS_MAX }), [], 'to list queries by'),
  ),
  parameters: orEmpty(withDefault(PARAMETERS_SHAPE, {}, 'each that the text names, and no other')),
});

export const QUERY_SET_SHAPE = object({
  version: orEmpty(optional(integer({ min: 1, max: 1 }), 'of the format')),
  queries: required(array(SAVED_QUERY_SHAPE, { min: 0, max: SAVED_QUERIES_MAX }), 'the queries'),
});

/** Creates the error for a position in a document. */
export type FaultAt = (path: YamlPath, message: string, at?: 'key' | 'value') => DomainError;

/** Reads a saved query, whose text must parse, bind and use the declared parameters. */
export function readSavedQuery(value: unknown, faultAt: FaultAt): SavedQuery {
  const query = readShape(SAVED_QUERY_SHAPE, value, ({ path, message, at }) => faultAt(path, message, at));
  checkText(query, faultAt);
  return query;
}

/**
 * Throws PQL_SYNTAX with the position in the text, or the fault of a parameter that the text does not use.
 */
export function checkText({ text: pql, parameters }: SavedQuery, faultAt: FaultAt): void {
  const { bound } = new PreparedQuery(pql);
  for (const { name, span } of bound.parameters) {
    if (Object.hasOwn(parameters, name)) continue;
    const hint = `declare it: parameters: {${name}: {type: string}}`;
    throw syntaxFault(pql, span, `parameter $${name} is not declared`, { hint });
  }
  const named = new Set(bound.parameters.map(({ name }) => name));
  const idle = Object.keys(parameters).find((name) => !named.has(name));
  if (idle !== undefined) throw faultAt(['parameters', idle], `the text does not name $${idle}`);
}
