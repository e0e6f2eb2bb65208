import { Readable } from 'node:stream';
import { isAbsent, isJsonObject, type JsonObject, kindOf } from '#graph/model';
import { DomainError, readLines, utf8Text } from '#platform/foundation';
import { JsonElements } from '../document/json-elements.ts';
import { parseJson } from '../document/json-text.ts';
import type { BadRow, SourceRow } from './source-row.ts';

const LINE_BYTES_MAX = 8 * 1_048_576;
const COLUMN_DEPTH_MAX = 4;
const LIST = 0x5b;
const WHAT = 'a record in JSON';

/**
 * The records of a JSON document: the items of its list, or of the list at the path `records`; without
 * either, one record on each line. One is in memory at a time. Throws INVALID_REQUEST for what makes the rest
 * unreadable.
 */
export async function* jsonRows(
  bytes: AsyncIterable<Uint8Array>,
  records: string | undefined,
): AsyncGenerator<SourceRow | BadRow> {
  const { first, pieces } = await withFirstByte(bytes);
  if (first === LIST && records === undefined) yield* elementRows(pieces, '');
  else if (records !== undefined) yield* elementRows(pieces, records);
  else yield* lineRows(pieces);
}

async function* elementRows(
  bytes: AsyncIterable<Uint8Array>,
  list: string,
): AsyncGenerator<SourceRow | BadRow> {
  const elements = new JsonElements([list]);
  for await (const piece of bytes) {
    for (const { path, index, text } of elements.feed(piece)) {
      if (index !== undefined && path === list) yield rowOf(text, `record ${index + 1}`);
    }
  }
  elements.finish();
  if (elements.lists.has(list)) return;
  throw new DomainError('INVALID_REQUEST', `expected a list at ${list}, got none`);
}

async function* lineRows(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<SourceRow | BadRow> {
  let number = 0;
  let count = 0;
  for await (const lines of readLines(Readable.from(copies(bytes)), LINE_BYTES_MAX)) {
    for (const line of lines) {
      const place = `line ${++number}`;
      const text = utf8Text(line);
      if (text === undefined) yield { place, fault: 'expected UTF-8' };
      else if (text.trim() === '') continue;
      else yield rowOf(text, place);
      count++;
    }
  }
  if (count === 0) throw new DomainError('INVALID_REQUEST', 'expected records in JSON, got nothing');
}

function rowOf(text: string, place: string): SourceRow | BadRow {
  let value: unknown;
  try {
    value = parseJson(text, WHAT);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { place, fault: error.message };
  }
  if (!isJsonObject(value)) return { place, fault: `expected an object, got ${kindOf(value)}` };
  const record = value;
  return {
    place,
    columns: () => [...columnsOf(record, '', COLUMN_DEPTH_MAX)],
    value: (column) => valueAt(record, column),
  };
}

/** `owner.name` is a field of this name, or else one of an object. */
function valueAt(record: JsonObject, column: string): unknown {
  if (Object.hasOwn(record, column)) return record[column];
  for (let at = column.indexOf('.'); at >= 0; at = column.indexOf('.', at + 1)) {
    const head = column.slice(0, at);
    const inner = Object.hasOwn(record, head) ? record[head] : undefined;
    if (isJsonObject(inner)) return valueAt(inner, column.slice(at + 1));
  }
  return undefined;
}

function* columnsOf(record: JsonObject, prefix: string, depth: number): Iterable<string> {
  for (const [name, value] of Object.entries(record)) {
    if (isJsonObject(value) && depth > 1) yield* columnsOf(value, `${prefix}${name}.`, depth - 1);
    else if (!isAbsent(value)) yield prefix + name;
  }
}

async function withFirstByte(
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ readonly first: number | undefined; readonly pieces: AsyncIterable<Uint8Array> }> {
  const iterator = bytes[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  let first: number | undefined;
  while (first === undefined) {
    const next = await iterator.next();
    if (next.done === true) break;
    // The piece may be reused by its reader.
    const piece = next.value.slice();
    held.push(piece);
    first = piece.find((byte) => byte > 0x20 && byte < 0x80);
  }
  async function* pieces(): AsyncGenerator<Uint8Array> {
    try {
      yield* held;
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next())
        yield next.value;
    } finally {
      await iterator.return?.();
    }
  }
  return { first, pieces: pieces() };
}

async function* copies(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const piece of bytes) yield Buffer.from(piece);
}
