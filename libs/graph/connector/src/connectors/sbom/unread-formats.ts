/** Formats of bills that are known and not read: refused by their names, not taken for something else. */
import type { JsonObject } from '#graph/model';
import { DomainError } from '#platform/foundation';

const BEGINNING_CHARACTERS = 4_096;

/** Formats that are recognized by the beginning of the text. */
const TEXTS: readonly (readonly [RegExp, string])[] = [
  [/^\s*<.*cyclonedx\.org\/schema\/bom/s, 'CycloneDX XML: write the bill as CycloneDX JSON'],
  [/^\s*<.*spdx\.org\/rdf/s, 'SPDX RDF/XML: write the bill as SPDX 2.3 JSON'],
  [/^\s*<.*SoftwareIdentity/s, 'a SWID tag: write the bill as CycloneDX JSON'],
  [/^\s*</, 'XML: write the bill as JSON'],
  [/^SPDXVersion:/m, 'SPDX tag-value: write the bill as SPDX 2.3 JSON'],
  [/^(?:spdxVersion|SPDXID|bomFormat):/m, 'YAML: write the bill as JSON'],
  [/^# yarn lockfile/m, 'a yarn.lock: generate a CycloneDX bill from it'],
  [/^lockfileVersion:/m, 'a pnpm-lock.yaml: generate a CycloneDX bill from it'],
];

type Test = (document: JsonObject) => boolean;
const names =
  (field: string, pattern: RegExp): Test =>
  ({ [field]: value }) =>
    pattern.test(typeof value === 'string' ? value : JSON.stringify(value ?? ''));

const DOCUMENTS: readonly (readonly [Test, string])[] = [
  [names('@context', /spdx\.org/i), 'SPDX 3: write the bill as SPDX 2.3 or CycloneDX'],
  [names('@context', /openvex/i), 'OpenVEX: write it as CycloneDX VEX'],
  [({ '@graph': graph }) => graph !== undefined, 'JSON-LD: write the bill as SPDX 2.3 or CycloneDX'],
  [names('_type', /in-toto/i), 'an in-toto attestation: give the bill in its predicate'],
  [({ payloadType }) => payloadType !== undefined, 'a signed envelope: give the bill in its payload'],
  [names('document', /csaf/i), 'CSAF: write it as CycloneDX VEX'],
  [
    ({ artifacts, schema }) => artifacts !== undefined && schema !== undefined,
    'Syft JSON: write CycloneDX or SPDX',
  ],
];

/** Throws INVALID_REQUEST for a text in a known format that is not JSON. */
export function refuseUnreadFormats(text: string): void {
  const beginning = text.slice(0, BEGINNING_CHARACTERS).replace(/^\uFEFF/, '');
  if (/^\s*[[{]/.test(beginning)) return;
  const format = TEXTS.find(([pattern]) => pattern.test(beginning));
  if (format !== undefined) throw unread(format[1]);
}

/** Throws INVALID_REQUEST for a known document that is no bill that is read. */
export function refuseUnreadDocuments(document: JsonObject): void {
  const format = DOCUMENTS.find(([test]) => test(document));
  if (format !== undefined) throw unread(format[1]);
}

function unread(format: string): DomainError {
  return new DomainError('INVALID_REQUEST', `expected a bill of materials that is read here, got ${format}`);
}
