/** Formats of bills that are known and not read: refused by their names, not taken for something else. */
import type { JsonObject } from '#graph/model';
import { DomainError } from '#platform/foundation';
import { exactText } from '../../document/flat-properties.ts';

/** Formats that are recognized by the beginning of the text. */
const TEXTS: readonly (readonly [RegExp, string])[] = [
  [/^\s*<.*spdx\.org\/rdf/s, 'SPDX RDF/XML: write the bill as SPDX 2.3 JSON'],
  [/^\s*<.*SoftwareIdentity/s, 'a SWID tag: write the bill as CycloneDX JSON'],
  [/^\s*</, 'XML: write the bill as JSON'],
  [/^(?:bomFormat):/m, 'CycloneDX in YAML: write the bill as JSON'],
  [/^\s*\[\s*\{\s*"Target"\s*:/, 'a report of Trivy before version 0.20: write it with a newer one'],
  [/^\S+ v\S+ h1:/, 'a go.sum, which has more than what is built: read the go.mod beside it'],
  [/^lock-version = /m, 'a pylock.toml'],
  [/^\[\[package\]\]/m, 'a lock file in TOML that is cut, or of a tool that is not known'],
  [/^PODS:/m, 'a Podfile.lock'],
  [/^sdks:\s*$/m, 'a pubspec.lock'],
  [/^%\{\s*$/m, 'a mix.lock'],
  [/^NUGET\r?\n {2}remote:/m, 'a paket.lock'],
];

type Test = (document: JsonObject) => boolean;
const names =
  (field: string, pattern: RegExp): Test =>
  ({ [field]: value }) =>
    pattern.test(typeof value === 'string' ? value : exactText(value ?? ''));

const DOCUMENTS: readonly (readonly [Test, string])[] = [
  [({ '@graph': graph }) => graph !== undefined, 'JSON-LD of another kind'],
  [names('document', /csaf/i), 'an advisory without a csaf_version'],
  [
    ({ artifacts, schema }) => artifacts !== undefined && schema !== undefined,
    'Syft JSON: write CycloneDX or SPDX',
  ],
];

/** Throws INVALID_REQUEST for a text that begins like a known format. */
export function refuseUnreadFormats(beginning: string): void {
  const format = unreadFormat(beginning);
  if (format !== undefined) throw unread(format);
}

/** The name of the known format that a text begins like, with what to do about it. */
export function unreadFormat(beginning: string): string | undefined {
  return TEXTS.find(([pattern]) => pattern.test(beginning))?.[1];
}

/** Throws INVALID_REQUEST for a known document that is no bill that is read. */
export function refuseUnreadDocuments(document: JsonObject): void {
  const format = DOCUMENTS.find(([test]) => test(document));
  if (format !== undefined) throw unread(format[1]);
}

function unread(format: string): DomainError {
  return new DomainError('INVALID_REQUEST', `expected a bill of materials that is read here, got ${format}`);
}
