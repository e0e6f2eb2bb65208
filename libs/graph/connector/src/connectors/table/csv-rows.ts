import { CsvError, type Options, parse } from 'csv-parse';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DomainError } from '#platform/foundation';
import type { BadRow, SourceRow } from './source-row.ts';
import { textPieces } from './text-pieces.ts';

export interface CsvForm {
  /** Undefined: the one that the first line has most of. */
  readonly delimiter?: string | undefined;
  /** Names of the columns of a file without a header. */
  readonly columns: readonly string[];
  /** Columns that the header must have, as something is read of them. */
  readonly wanted?: Iterable<string>;
}

const ROW_BYTES_MAX = 8 * 1_048_576;
const COLUMNS_MAX = 1_024;
const DELIMITERS = [',', ';', '\t', '|'] as const;
/** A line before the header: Excel's with the delimiter, Windows PowerShell's with the type of its rows. */
const PREAMBLE = /^\s*(?:sep=(?<delimiter>.)|"sep=(?<quoted>.)"|#TYPE [^\r\n]*)(?=[\r\n])/i;
const FAULTS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
  CSV_INVALID_CLOSING_QUOTE:
    'after a closing quote, expected the end of the cell; a quote within one is doubled',
  INVALID_OPENING_QUOTE: 'a quote within a cell without quotes; expected the whole cell in quotes',
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: 'after a closing quote, expected the end of the cell',
  CSV_MAX_RECORD_SIZE: `expected a row of at most ${ROW_BYTES_MAX} bytes; is a quote not closed?`,
};

interface ParsedRecord {
  readonly record: readonly string[];
  /** With its line breaks, and those of empty lines before it. */
  readonly raw: string;
}

/**
 * The rows of a text of CSV (RFC 4180, with any line breaks and delimiter), one in memory at a time. A row
 * with another number of cells than the header is a bad one; rows without any value are left out. Throws
 * INVALID_REQUEST with the line for what makes the rest unreadable: the header, quotes, the encoding.
 */
export async function* csvRows(
  bytes: AsyncIterable<Uint8Array>,
  form: CsvForm,
): AsyncGenerator<SourceRow | BadRow> {
  const { delimiter, texts } = await withDelimiter(textPieces(bytes), form.delimiter);
  let header = form.columns.length > 0 ? new Header(form.columns, 'columns') : undefined;
  header?.require(form.wanted ?? []);
  let line = 1;
  try {
    for await (const { record, raw } of recordsOf(texts, delimiter)) {
      const at = line + emptyLines(raw);
      line += lineBreaks(raw);
      const place = `line ${at}`;
      if (header === undefined) {
        header = new Header(record, place);
        header.require(form.wanted ?? []);
      } else if (record.some((cell) => cell !== '')) yield header.row(record, place);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const message = `line ${line}: ${FAULTS[error.code] ?? 'no CSV'}`;
    throw new DomainError('INVALID_REQUEST', message, { cause: error });
  }
  if (header === undefined)
    throw new DomainError('INVALID_REQUEST', 'expected a header with the names of the columns, got nothing');
}

async function* recordsOf(texts: AsyncIterable<string>, delimiter: string): AsyncGenerator<ParsedRecord> {
  const options: Options = {
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
    raw: true,
    max_record_size: ROW_BYTES_MAX,
  };
  const parser = parse(options);
  // Its failure is that of the parser, which is read below.
  const feeding = pipeline(Readable.from(texts), parser).catch(() => undefined);
  yield* parser as AsyncIterable<ParsedRecord>;
  await feeding;
}

/** The names of the columns. */
class Header {
  readonly #place: string;
  readonly #names: readonly string[];
  readonly #indexByName = new Map<string, number>();

  constructor(names: readonly string[], place: string) {
    this.#place = place;
    if (names.length > COLUMNS_MAX)
      throw fault(place, `expected at most ${COLUMNS_MAX} columns, got ${names.length}`);
    for (const [index, name] of names.entries()) {
      const other = this.#indexByName.get(name);
      if (name !== '' && other !== undefined)
        throw fault(place, `columns ${other + 1} and ${index + 1} have one name, ${shown(name)}`);
      if (name !== '') this.#indexByName.set(name, index);
    }
    if (this.#indexByName.size === 0) throw fault(place, 'expected the names of the columns, got none');
    this.#names = names;
  }

  /** Without the column, what it says would be missing in all rows without a word. */
  require(names: Iterable<string>): void {
    const missing = [...names].filter((name) => !this.#indexByName.has(name));
    if (missing.length > 0)
      throw fault(
        this.#place,
        `the mapping has columns that are not there: ${missing.map(shown).join(', ')}`,
      );
  }

  row(cells: readonly string[], place: string): SourceRow | BadRow {
    const unnamed = this.#names.findIndex((name, index) => name === '' && (cells[index] ?? '') !== '');
    if (cells.length !== this.#names.length)
      return { place, fault: `expected ${this.#names.length} cells, as in the header, got ${cells.length}` };
    if (unnamed >= 0) return { place, fault: `a value in column ${unnamed + 1}, which has no name` };
    if (cells.some((cell) => cell.includes('\0'))) return { place, fault: 'NUL is not allowed' };
    return {
      place,
      columns: () => [...this.#indexByName.keys()],
      value: (column) => {
        const index = this.#indexByName.get(column);
        const cell = index === undefined ? '' : cells[index];
        return cell === '' ? undefined : cell;
      },
    };
  }
}

/** The delimiter, given or that of the first line, and the texts from the beginning. */
async function withDelimiter(
  texts: AsyncGenerator<string>,
  given: string | undefined,
): Promise<{ readonly delimiter: string; readonly texts: AsyncIterable<string> }> {
  let beginning = '';
  while (!/[^\r\n][\r\n]/.test(withoutPreamble(beginning)) && beginning.length < ROW_BYTES_MAX) {
    const next = await texts.next();
    if (next.done === true) break;
    beginning += next.value;
  }
  const { delimiter, quoted } = PREAMBLE.exec(beginning)?.groups ?? {};
  const table = withoutPreamble(beginning);
  async function* all(): AsyncGenerator<string> {
    yield table;
    yield* texts;
  }
  return { delimiter: given ?? delimiter ?? quoted ?? delimiterOf(table), texts: all() };
}

/** Without what programs write before the header; its line break stays, so that lines are counted alike. */
export function withoutPreamble(beginning: string): string {
  return beginning.replace(PREAMBLE, '');
}

/** The delimiter that the first line has most of, outside of quotes; a comma if it has none. */
export function delimiterOf(beginning: string): string {
  const [line = ''] = beginning
    .replaceAll(/"[^"]*"/g, '')
    .trimStart()
    .split(/[\r\n]/, 1);
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** The second character of a line break after a row is not in its raw text. */
function lineBreaks(raw: string): number {
  return raw.match(/\r\n|\r|\n/g)?.length ?? 0;
}

function emptyLines(raw: string): number {
  return /^[\r\n]*/.exec(raw)?.[0].length ?? 0;
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

function fault(place: string, message: string): DomainError {
  return new DomainError('INVALID_REQUEST', `${place}: ${message}`);
}
