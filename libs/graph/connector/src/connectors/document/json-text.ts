import { visit } from 'jsonc-parser';
import { FieldPath, isAbsent, type JsonObject, jsonObject, kindOf } from '#graph/model';
import type { Disk } from '#platform/disk';
import {
  completed,
  DomainError,
  findRepeatedName,
  parseExactJson,
  repetitionText,
  utf8Text,
} from '#platform/foundation';

const LONG_INTEGER = /\d{16}/;

/**
 * The text of a JSON file. Throws INVALID_REQUEST if it is not UTF-8: with replacement characters, different
 * names would become one.
 */
export async function readJsonText(disk: Disk, path: string): Promise<string> {
  const text = utf8Text(await disk.readBytes(path));
  if (text !== undefined) return text;
  throw new DomainError('INVALID_REQUEST', 'expected UTF-8, got a file in another encoding');
}

/** Parses a JSON object; throws INVALID_REQUEST. `what` describes the expected document. */
export function parseJsonObject(text: string, what: string): JsonObject {
  return jsonObject(parseJson(text, what), new FieldPath());
}

/** Like {@link parseJsonObject}, for any value. */
export function parseJson(text: string, what: string): unknown {
  const value = parsed(text, what);
  const repeated = completed(findRepeatedName(text));
  if (repeated !== null)
    throw new DomainError('INVALID_REQUEST', `expected ${what} with ${repetitionText(repeated)}`);
  return value;
}

function parsed(text: string, what: string): unknown {
  const json = text.replace(/^\uFEFF/, '');
  try {
    return exactOr(json);
  } catch (cause) {
    const fault = `expected ${what}, got text that is not JSON${placeOfFault(json)}`;
    throw new DomainError('INVALID_REQUEST', fault, { cause });
  }
}

/**
 * Where a text is not JSON: ` at line 3, column 14`, or ` at column 14` in a single line. Empty if the place
 * is not found, in what is nested too deeply.
 */
function placeOfFault(text: string): string {
  let first: number | undefined;
  const onError = (_code: number, at: number): void => {
    first ??= at;
  };
  try {
    visit(text, { onError }, { disallowComments: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  if (first === undefined) return '';
  const column = first - text.lastIndexOf('\n', first - 1);
  return text.trim().includes('\n')
    ? ` at line ${lineOf(text, first)}, column ${column}`
    : ` at column ${column}`;
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

/** Integers beyond the exact range become bigints; the slower parser runs only if there may be any. */
function exactOr(text: string): unknown {
  return LONG_INTEGER.test(text) ? parseExactJson(text) : (JSON.parse(text) as unknown);
}

/** A text, or a number or a switch as one; empty for any other value, which may have no text. */
export function scalarText(value: unknown): string {
  if (typeof value === 'string') return value;
  return ['number', 'bigint', 'boolean'].includes(typeof value) ? String(value) : '';
}

/** A list of objects under a name; absent is empty. */
export function objectsIn(object: JsonObject, name: string, path: FieldPath): readonly JsonObject[] {
  const list = object[name];
  if (isAbsent(list)) return [];
  if (!Array.isArray(list)) throw path.fault(name, `expected a list, got ${kindOf(list)}`);
  return list.map((item: unknown, index) => jsonObject(item, path, `${name}[${index}]`));
}

/** A required, non-empty text. */
export function textIn(object: JsonObject, name: string, path: FieldPath): string {
  const value = object[name];
  if (typeof value === 'string' && value !== '') return value;
  throw path.fault(name, `expected a text, got ${value === '' ? 'an empty one' : kindOf(value)}`);
}

/** A text, or undefined for anything else. */
export function textOr(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
