import { type EntityInput, FieldPath, isJsonObject, type JsonObject } from '#graph/model';
import { DomainError } from '#platform/foundation';
import type { EntityDraft } from '../../run/step.ts';
import { exactText } from '../document/flat-properties.ts';
import { parseJsonObject } from '../document/json-text.ts';
import { parseYaml } from '../document/yaml-text.ts';
import type { Bill } from './bill-builder.ts';
import { readCycloneDx } from './cyclonedx.ts';
import { unwrapped } from './format/attestation.ts';
import { isCsaf, readCsaf } from './format/csaf.ts';
import { cycloneDxOfXml } from './format/cyclonedx-xml.ts';
import { readOpenVex } from './format/openvex.ts';
import { readSpdx3, spdx3Document } from './format/spdx3.ts';
import { spdxOfTagValue } from './format/spdx-tag-value.ts';
import { refuseUnreadDocuments, refuseUnreadFormats } from './format/unread-formats.ts';
import type { ReadBeside } from './lock/npm-lock-bill.ts';
import { readPnpmLock } from './lock/pnpm-lock.ts';
import { readPackageLock } from './lock/read-package-lock.ts';
import { readYarnLock } from './lock/yarn-lock.ts';
import { mergedBills } from './merged-bills.ts';
import { isGrype, readGrype } from './scan/grype.ts';
import { isTrivy, readTrivy } from './scan/trivy.ts';
import { readSpdx } from './spdx.ts';

/** The text of a bill, with what is around it. */
export interface BillText {
  readonly text: string;
  /** The name of its folder. */
  readonly folder: string;
  readonly beside: ReadBeside;
}

const BEGINNING_CHARACTERS = 4_096;

/** Formats that are recognized by the beginning of the text; all others are JSON. */
const TEXTS: readonly (readonly [RegExp, (bill: BillText) => Bill | Promise<Bill>])[] = [
  [/^\s*<.*cyclonedx\.org\/schema\/bom/s, ({ text }) => readCycloneDx(cycloneDxOfXml(text))],
  [/^SPDXVersion:/m, ({ text }) => readSpdx(spdxOfTagValue(text))],
  [/^(?:---\s+)?(?:spdxVersion|SPDXID):/m, ({ text }) => readSpdx(yamlObject(text, 'an SPDX bill in YAML'))],
  [/^# yarn lockfile|^__metadata:/m, ({ text, beside, folder }) => readYarnLock(text, beside, folder)],
  [/^lockfileVersion:/m, ({ text, beside, folder }) => readPnpmLock(text, beside, folder)],
];

/**
 * A bill or advisory of any format, by its text. Throws INVALID_REQUEST for another document, by its name.
 */
export async function readBill(bill: BillText): Promise<Bill> {
  const beginning = bill.text.slice(0, BEGINNING_CHARACTERS).replace(/^\uFEFF/, '');
  if (/^\s*[[{]/.test(beginning)) return readJson(bill);
  const found = TEXTS.find(([pattern]) => pattern.test(beginning));
  if (found !== undefined) return found[1](bill);
  refuseUnreadFormats(beginning);
  return readJson(bill);
}

/** One document, or several with one on each line, as cosign writes envelopes. */
async function readJson(bill: BillText): Promise<Bill> {
  const [first = '', second] = bill.text.trim().split('\n', 2);
  const isLines = second?.startsWith('{') === true && first.trimEnd().endsWith('}') && isJson(first);
  if (!isLines) return readDocument(bill, parseJsonObject(bill.text, 'a software bill of materials in JSON'));
  const bills: Bill[] = [];
  for (const [index, line] of bill.text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const document = parseJsonObject(line, `a document in line ${index + 1}`);
    bills.push(await readDocument({ ...bill, text: line }, document));
  }
  return mergedBills(bills);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function readDocument(bill: BillText, parsed: JsonObject): Promise<Bill> {
  const inner = unwrapped(parsed);
  // As GitHub's REST API returns it.
  const document = isJsonObject(inner['sbom']) ? inner['sbom'] : inner;
  if (isCycloneDx(document)) return readCycloneDx(document);
  if ('spdxVersion' in document) return readSpdx(document);
  if ('lockfileVersion' in document) return readLock(bill.text, await bill.beside('package.json'));
  if (isCsaf(document)) return readCsaf(document);
  if (isTrivy(document)) return readTrivy(document);
  if (isGrype(document)) return readGrype(document);
  const context = exactText(document['@context'] ?? '');
  if (/openvex/i.test(context)) return readOpenVex(document);
  if (/spdx\.org/i.test(context)) return readSpdx3(spdx3Document(document));
  refuseUnreadDocuments(document);
  throw new FieldPath().fault(
    'bomFormat',
    'expected "CycloneDX", the spdxVersion of SPDX, or the lockfileVersion of a package-lock.json',
  );
}

/** Some tools leave the format out. */
function isCycloneDx({ bomFormat, $schema, specVersion }: JsonObject): boolean {
  const isNamed = typeof $schema === 'string' && /cyclonedx/i.test($schema) && specVersion !== undefined;
  return bomFormat === 'CycloneDX' || (bomFormat === undefined && isNamed);
}

function yamlObject(text: string, what: string): JsonObject {
  const value = parseYaml(text, what);
  if (isJsonObject(value)) return value;
  throw new DomainError('INVALID_REQUEST', `expected ${what}, got other YAML`);
}

function readLock(text: string, manifest: string | undefined): Bill {
  const { entities, relationships, unresolved, unknownRoot, warnings } = readPackageLock(text, manifest);
  const reference = { end: 'from' as const, verb: 'DEPENDS_ON' };
  const references = unresolved.map(({ from, name, range }) => ({
    ...reference,
    owner: from,
    reason: `${from.key} asks for ${name} ${range}, which is not there`,
  }));
  const root = unknownRoot && {
    ...reference,
    owner: unknownRoot,
    reason:
      'package.json is not beside a lock file of version 1: what the project depends on is not all known',
  };
  return {
    entities: entities.map(draftOf),
    relationships,
    unresolved: root === undefined ? references : [...references, root],
    external: [],
    ignored: new Map(),
    warnings,
  };
}

function draftOf({ type, key, class: className, displayName, properties }: EntityInput): EntityDraft {
  return { type, key, class: className, display_name: displayName, properties };
}
