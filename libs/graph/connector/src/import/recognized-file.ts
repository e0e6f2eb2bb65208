import { isJsonObject, type JsonObject } from '#graph/model';
import type { Disk } from '#platform/disk';
import { DomainError, utf8Text } from '#platform/foundation';
import { parseJson, readJsonText } from '../connectors/document/json-text.ts';
import { JsonElements } from '../connectors/document/json-elements.ts';
import { piecesOf } from '../connectors/document/source-pieces.ts';
import { unreadFormat } from '../connectors/sbom/format/unread-formats.ts';
import { isTomlLock } from '../connectors/sbom/lock/lock-formats.ts';
import { billFormat } from '../connectors/sbom/read-bill.ts';
import { withoutPreamble } from '../connectors/table/csv-rows.ts';
import { documentFormat, type ImportConnector, isStixObject, toolDocument } from './tool-documents.ts';

/** What a file is, by its content. */
export interface RecognizedFile {
  readonly connector: ImportConnector;
  /** The name of the format, for people. */
  readonly format: string;
  /** Of JSON: the path of the list of records within the document. */
  readonly records?: string;
}

const BEGINNING_BYTES = 65_536;
const EXPECTED =
  'expected CSV, JSON, NDJSON, a bill of materials, a lock file, STIX, or a file of BloodHound, Kubernetes, ' +
  'Terraform, the AWS CLI, nmap or osquery';
/** A line of a manifest in YAML. */
const MANIFEST = /^(?:apiVersion|kind):[^\S\n]*[\w./"']+[^\S\n]*(?:#.*)?$/m;
const UTF_16 = 'UTF-16: save it as UTF-8';
/** Files that people drop, by their first bytes. */
const FORMS_WITHOUT_TEXT: readonly (readonly [string, string])[] = [
  [
    '504b0304',
    'a zip archive or a spreadsheet: export it as CSV, and read a zip of BloodHound by its connector',
  ],
  ['1f8b', 'a compressed file: unpack it'],
  ['25504446', 'a PDF'],
  ['d0cf11e0', 'a spreadsheet: export it as CSV'],
  ['fffe', UTF_16],
  ['feff', UTF_16],
];

/**
 * What a file is. `records`: the path of the list of records, if that is known. Throws INVALID_REQUEST for a
 * file of no known form.
 */
export async function recognizedFile(
  disk: Disk,
  path: string,
  records: string | undefined,
): Promise<RecognizedFile> {
  const beginning = await beginningOf(disk, path);
  const text = textOf(beginning);
  if (text.trim() === '') throw other('an empty file');
  const first = text.trimStart().slice(0, 1);
  if (first === '[' && !isTomlLock(text)) return listForm(text, await firstItem(disk, path), records);
  if (first === '{') return objectForm(await readJsonText(disk, path), records);
  const bill = billFormat(text);
  if (bill !== undefined) return { connector: 'sbom', format: bill };
  if (/<nmaprun[\s>]/.test(text)) return { connector: 'nmap', format: 'nmap' };
  if (first === '<') throw other('XML of another kind');
  if (isManifest(text)) return { connector: 'kubernetes', format: 'Kubernetes' };
  const unread = unreadFormat(text);
  if (unread !== undefined) throw other(unread);
  return tableForm(text);
}

async function beginningOf(disk: Disk, path: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of piecesOf(disk, path)) {
    pieces.push(piece.slice());
    bytes += piece.length;
    if (bytes >= BEGINNING_BYTES) break;
  }
  return Buffer.concat(pieces);
}

/** The beginning may end within a character. */
function textOf(beginning: Uint8Array): string {
  const form = formWithoutText(beginning);
  if (form !== undefined) throw other(form);
  for (let cut = 0; cut < 4; cut++) {
    const text = utf8Text(beginning.subarray(0, beginning.length - cut));
    if (text !== undefined && !text.includes('\0')) return text;
  }
  throw other('no text in UTF-8');
}

/** What a file is by its first bytes, with what to do about it, if that is known to be no text in UTF-8. */
export function formWithoutText(bytes: Uint8Array): string | undefined {
  const hex = Buffer.from(bytes.subarray(0, 4)).toString('hex');
  return FORMS_WITHOUT_TEXT.find(([magic]) => hex.startsWith(magic))?.[1];
}

/** The first item of a list; undefined for anything but an object. */
async function firstItem(disk: Disk, path: string): Promise<JsonObject | undefined> {
  const elements = new JsonElements(['']);
  for await (const piece of piecesOf(disk, path))
    for (const { text } of elements.feed(piece)) {
      const item = parsedOr(text);
      return isJsonObject(item) ? item : undefined;
    }
  return undefined;
}

/** By the first item: objects of STIX or Kubernetes, or records. */
function listForm(text: string, item: JsonObject | undefined, named: string | undefined): RecognizedFile {
  const records = { connector: 'json', format: 'JSON' } as const;
  if (item === undefined || named !== undefined) return records;
  const known = toolDocument(item);
  if (known?.connector === 'stix' && isStixObject(item)) return known;
  if (known?.connector === 'kubernetes') return known;
  const unread = unreadFormat(text);
  if (unread !== undefined) throw other(unread);
  refuseDocuments(item, 'in a list');
  return records;
}

/** A document, or several on lines. */
function objectForm(text: string, named: string | undefined): RecognizedFile {
  const bill = billFormat(text);
  if (bill !== undefined) return { connector: 'sbom', format: bill };
  const document = parsedOr(text);
  if (!isJsonObject(document)) return linesForm(text, named);
  const known = toolDocument(document);
  if (known !== undefined && (named === undefined || known.connector === 'stix')) return known;
  const lists = named === undefined ? listsIn(document) : [named];
  const [records] = lists;
  if (lists.length === 1 && records !== undefined) return { connector: 'json', format: 'JSON', records };
  if (lists.length === 0 && !text.trim().includes('\n')) return linesForm(text, named);
  if (lists.length === 0) throw other('one object in JSON, without a list of records');
  throw other(`JSON with several lists (${lists.slice(0, 5).join(', ')}): name one as records`);
}

function isManifest(text: string): boolean {
  return MANIFEST.test(text) && /^kind:/m.test(text) && /^apiVersion:/m.test(text);
}

/** The paths of lists of objects, at the top or one level below. */
function listsIn(document: JsonObject): readonly string[] {
  const isList = (value: unknown): boolean =>
    Array.isArray(value) && value.length > 0 && value.every(isJsonObject);
  return Object.entries(document).flatMap(([name, value]) => {
    if (isList(value)) return [name];
    if (!isJsonObject(value)) return [];
    return Object.entries(value).flatMap(([inner, list]) => (isList(list) ? [`${name}.${inner}`] : []));
  });
}

function linesForm(text: string, named: string | undefined): RecognizedFile {
  const [first = ''] = text.trim().split('\n', 1);
  const line = parsedOr(first);
  if (!isJsonObject(line)) {
    parseJson(text, 'one document in JSON, or one on each line');
    throw other('JSON that is cut or damaged');
  }
  const known = named === undefined ? toolDocument(line) : undefined;
  if (known?.connector === 'osquery') return known;
  if (named === undefined) refuseDocuments(line, 'on lines');
  return { connector: 'json', format: 'NDJSON' };
}

/** Documents of tools would lose their meaning as records. */
function refuseDocuments(first: JsonObject, where: string): void {
  const format = documentFormat(first);
  if (format !== undefined)
    throw other(`several documents of ${format} ${where}: write each to a file, and import it by itself`);
}

/** A table has a delimiter in its first line, or at least one name in it. */
function tableForm(text: string): RecognizedFile {
  const [header = ''] = withoutPreamble(text)
    .trim()
    .split(/[\r\n]/, 1);
  const cells = header.split(/[,;\t|]/);
  const isProse = cells.length === 1 && /\s/.test(header.trim());
  if (isProse || header.length > 16_384) throw other('text without columns');
  return { connector: 'csv', format: 'CSV' };
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function other(what: string): DomainError {
  return new DomainError('INVALID_REQUEST', `${EXPECTED}, got ${what}`);
}
