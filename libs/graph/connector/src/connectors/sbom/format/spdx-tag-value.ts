/**
 * SPDX tag-value 2.2 and 2.3 as the document that SPDX JSON would be. Each line is `Tag: value`; a value of
 * several lines is in `<text>…</text>`; a tag that begins an element, such as PackageName, is followed by the
 * tags of that element.
 */
import type { JsonObject } from '#graph/model';
import { DomainError } from '#platform/foundation';

interface TagLine {
  readonly tag: string;
  readonly value: string;
  /** From 0. */
  readonly index: number;
}

type Element = Record<string, unknown>;

/** The names of JSON for tags of a package; others keep the tag, and are only counted. */
const PACKAGE: ReadonlyMap<string, string> = new Map([
  ['PackageVersion', 'versionInfo'],
  ['PackageSupplier', 'supplier'],
  ['PackageDescription', 'description'],
  ['PackageSourceInfo', 'sourceInfo'],
  ['PackageLicenseDeclared', 'licenseDeclared'],
  ['PackageLicenseConcluded', 'licenseConcluded'],
  ['PrimaryPackagePurpose', 'primaryPackagePurpose'],
]);
const DOCUMENT: ReadonlyMap<string, string> = new Map([
  ['SPDXVersion', 'spdxVersion'],
  ['DataLicense', 'dataLicense'],
  ['DocumentName', 'name'],
  ['DocumentNamespace', 'documentNamespace'],
]);
/** Tags that begin an element of a list. */
const BEGINNINGS: ReadonlyMap<string, string> = new Map([
  ['PackageName', 'packages'],
  ['FileName', 'files'],
  ['SnippetSPDXID', 'snippets'],
  ['LicenseID', 'hasExtractedLicensingInfos'],
]);
/** Tags of the document wherever they are. */
const OF_DOCUMENT: ReadonlyMap<string, string> = new Map([
  ['ExternalDocumentRef', 'externalDocumentRefs'],
  ['Annotator', 'annotations'],
  ['Reviewer', 'reviews'],
]);
/** Details of those, which are not read. */
const DETAILS = /^(?:Annotation|Review|SPDXREF$|Creat(?:or|ed)|LicenseListVersion|RelationshipComment)/;
/** Tags of a package that are read. */
const PACKAGE_TAG = /^(?:Package|PrimaryPackagePurpose$|ExternalRef$)/;
const LINE = /^([A-Za-z][A-Za-z0-9]*)\s*:\s*(.*)$/;

/** Throws INVALID_REQUEST with the line of the first fault. */
export function spdxOfTagValue(text: string): JsonObject {
  const document: Element = {};
  let element = document;
  const add = (list: string, item: unknown): void => {
    const items = (document[list] ??= []) as unknown[];
    items.push(item);
  };
  let isPackage = false;
  for (const line of tagLines(text)) {
    const { tag, value, index } = line;
    const list = BEGINNINGS.get(tag);
    if (list !== undefined) {
      element = tag === 'SnippetSPDXID' ? { SPDXID: value } : { name: value };
      isPackage = tag === 'PackageName';
      add(list, element);
    } else if (tag === 'Relationship') add('relationships', relationship(value));
    else if (OF_DOCUMENT.has(tag)) add(OF_DOCUMENT.get(tag) ?? tag, partOfDocument(tag, value));
    else if (DOCUMENT.has(tag)) setOnce(document, DOCUMENT.get(tag) ?? tag, line);
    else if (PACKAGE_TAG.test(tag) && !isPackage)
      throw fault(index, `expected ${tag} after the PackageName of its package`);
    else if (!DETAILS.test(tag)) setField(element, line);
  }
  return document;
}

function setField(element: Element, line: TagLine): void {
  const { tag, value } = line;
  const add = (name: string, item: unknown): void => {
    const items = (element[name] ??= []) as unknown[];
    items.push(item);
  };
  const own = PACKAGE.get(tag);
  if (tag === 'SPDXID') setOnce(element, tag, line);
  else if (tag === 'ExternalRef') add('externalRefs', externalReference(value));
  else if (tag === 'PackageChecksum') add('checksums', checksum(value));
  else if (own !== undefined) setOnce(element, own, line);
  else element[tag] ??= value;
}

/** A second value is that of another element, whose beginning is missing: one of the two would be lost. */
function setOnce(element: Element, name: string, { tag, value, index }: TagLine): void {
  if (element[name] !== undefined) throw fault(index, `expected one ${tag}, got another of the same element`);
  element[name] = value;
}

/** `SPDXRef-A DEPENDS_ON SPDXRef-B` */
function relationship(value: string): JsonObject {
  const [spdxElementId, relationshipType, relatedSpdxElement] = value.split(/\s+/);
  return { spdxElementId, relationshipType, relatedSpdxElement };
}

/** `ExternalDocumentRef: DocumentRef-lib https://example.com/lib SHA1: d6a7`; others are counted only. */
function partOfDocument(tag: string, value: string): JsonObject | string {
  if (tag !== 'ExternalDocumentRef') return value;
  const [externalDocumentId, spdxDocument] = value.split(/\s+/);
  return { externalDocumentId, spdxDocument };
}

/** `PACKAGE-MANAGER purl pkg:npm/a@1` */
function externalReference(value: string): JsonObject {
  const [referenceCategory, referenceType, ...locator] = value.split(/\s+/);
  return { referenceCategory, referenceType, referenceLocator: locator.join(' ') };
}

/** Reads a checksum such as `SHA1: 85ed…`. */
function checksum(value: string): JsonObject {
  const [algorithm, checksumValue] = value.split(/\s*:\s*/);
  return { algorithm, checksumValue };
}

function* tagLines(text: string): Generator<TagLine> {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]?.trim() ?? '';
    if (line === '' || line.startsWith('#')) continue;
    const [, tag = '', value = ''] = LINE.exec(line) ?? [];
    if (tag === '') throw fault(at, `expected a tag and a value, got ${line.slice(0, 40)}`);
    if (!value.startsWith('<text>')) {
      yield { tag, value, index: at };
      continue;
    }
    const end = lines.findIndex((each, index) => index >= at && each.includes('</text>'));
    if (end < 0) throw fault(at, `expected </text> after <text> of ${tag}, got the end of the file`);
    const whole = [value, ...lines.slice(at + 1, end + 1)].join('\n');
    const inner = whole.slice('<text>'.length, whole.indexOf('</text>')).trim();
    yield { tag, value: inner, index: at };
    at = end;
  }
}

function fault(index: number, message: string): DomainError {
  return new DomainError('INVALID_REQUEST', `line ${index + 1}: ${message}`);
}
