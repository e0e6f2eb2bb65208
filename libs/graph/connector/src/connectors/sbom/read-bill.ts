import { isJsonObject, type JsonObject } from '#graph/model';
import { DomainError } from '#platform/foundation';
import { exactText } from '../document/flat-properties.ts';
import { parseJsonObject } from '../document/json-text.ts';
import { parseYaml } from '../document/yaml-text.ts';
import { attestedBill, attestedVulnerabilities } from './attested-bill.ts';
import type { Bill } from './bill-builder.ts';
import type { BillText, DocumentFormat, TextFormat } from './bill-format.ts';
import { readCycloneDx } from './cyclonedx.ts';
import { type Attested, type AttestedSubject, OtherAttestation, unwrapped } from './format/attestation.ts';
import { isCsaf, readCsaf } from './format/csaf.ts';
import { cycloneDxOfXml } from './format/cyclonedx-xml.ts';
import { readOpenVex } from './format/openvex.ts';
import { readSpdx3, spdx3Document } from './format/spdx3.ts';
import { spdxOfTagValue } from './format/spdx-tag-value.ts';
import { refuseUnreadDocuments, refuseUnreadFormats } from './format/unread-formats.ts';
import { BUN_LOCK } from './lock/bun-lock.ts';
import { isTomlLock, LOCK_DOCUMENTS, LOCK_TEXTS } from './lock/lock-formats.ts';
import { mergedBills } from './merged-bills.ts';
import {
  isSarif,
  isScan,
  readSarif,
  readVulnerabilityList,
  type ScanResult,
  scanResults,
} from './scan/attested-scan.ts';
import { isGrype, readGrype } from './scan/grype.ts';
import { isTrivy, readTrivy } from './scan/trivy.ts';
import { readSpdx } from './spdx.ts';

const NO_CONTENT: Bill = {
  entities: [],
  relationships: [],
  unresolved: [],
  external: [],
  ignored: new Map(),
  warnings: [],
  isWhole: true,
};
const BEGINNING_CHARACTERS = 4_096;

/** Formats that are recognized by the beginning of the text; all others are JSON. */
const TEXTS: readonly TextFormat[] = [
  {
    name: 'CycloneDX',
    beginning: /^\s*<.*cyclonedx\.org\/schema\/bom/s,
    read: ({ text }) => readCycloneDx(cycloneDxOfXml(text)),
  },
  { name: 'SPDX', beginning: /^SPDXVersion:/m, read: ({ text }) => readSpdx(spdxOfTagValue(text)) },
  {
    name: 'SPDX',
    beginning: /^(?:---\s+)?(?:spdxVersion|SPDXID):/m,
    read: ({ text }) => readSpdx(yamlObject(text, 'an SPDX bill in YAML')),
  },
  ...LOCK_TEXTS,
];

/** Formats in JSON, by their fields; the first one that fits. */
const DOCUMENTS: readonly DocumentFormat[] = [
  { name: 'CycloneDX', test: isCycloneDx, read: readCycloneDx },
  { name: 'SPDX', test: (document) => 'spdxVersion' in document, read: readSpdx },
  ...LOCK_DOCUMENTS,
  { name: 'CSAF', test: isCsaf, isAdvisory: true, read: readCsaf },
  { name: 'Trivy', test: isTrivy, read: readTrivy },
  { name: 'Grype', test: isGrype, read: readGrype },
  { name: 'attested scan', test: isScan, hasSubjects: true, read: readScan },
  {
    name: 'OpenVEX',
    test: (document) => /openvex/i.test(contextOf(document)),
    isAdvisory: true,
    read: readOpenVex,
  },
  {
    name: 'SPDX',
    test: (document) => /spdx\.org/i.test(contextOf(document)),
    read: (document) => readSpdx3(spdx3Document(document)),
  },
];

/** The name of the format of a bill or advisory; undefined for any other text. */
export function billFormat(text: string): string | undefined {
  const beginning = beginningOf(text);
  if (!isJson(beginning)) return textFormatOf(text, beginning)?.name;
  const whole = parsedOr(text);
  if (isJsonObject(whole)) return billFormatOf(whole);
  for (const line of text.trim().split('\n')) {
    const value = parsedOr(line);
    if (!isJsonObject(value)) return undefined;
    try {
      return billFormatOf(value);
    } catch (error) {
      // Beside a bill, what else is attested of an image is counted.
      if (!(error instanceof OtherAttestation)) throw error;
    }
  }
  return undefined;
}

/** Like {@link billFormat}, of a document in JSON. */
export function billFormatOf(document: JsonObject): string | undefined {
  return formatOf(billIn(document).document)?.name;
}

/**
 * A bill or advisory of any format, by its text. Throws INVALID_REQUEST for another document, by its name.
 */
export async function readBill(file: BillText): Promise<Bill> {
  const bill = { ...file, text: file.text.replace(/^\uFEFF/, '') };
  const beginning = beginningOf(bill.text);
  if (isJson(beginning)) return readJson(bill);
  const found = textFormatOf(bill.text, beginning);
  if (found !== undefined) return found.read(bill);
  refuseUnreadFormats(beginning);
  return readJson(bill);
}

/** One document, or several with one on each line, as cosign writes envelopes. */
async function readJson(bill: BillText): Promise<Bill> {
  const [first = '', second] = bill.text.trim().split('\n', 2);
  const isLines =
    second?.startsWith('{') === true && first.trimEnd().endsWith('}') && parsedOr(first) !== undefined;
  if (isLines) return readLines(bill);
  if (first.startsWith('[')) refuseUnreadFormats(bill.text);
  return readDocument(bill, parseJsonObject(bill.text, 'a software bill of materials in JSON'));
}

async function readLines(bill: BillText): Promise<Bill> {
  const bills: Bill[] = [];
  let other: OtherAttestation | undefined;
  for (const [index, line] of bill.text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const place = `line ${index + 1}`;
    const document = parseJsonObject(line, `a document in ${place}`);
    try {
      bills.push(await readDocument({ ...bill, text: line }, document));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (!(error instanceof OtherAttestation))
        throw new DomainError(error.code, `${place}: ${error.message}`, { cause: error });
      other = error;
      bills.push(attestationOf(error));
    }
  }
  // Beside a bill, what else is attested of an image is counted; alone, it is another document.
  if (other !== undefined && bills.every(({ entities }) => entities.length === 0)) throw other;
  return mergedBills(bills);
}

function attestationOf({ predicateType }: OtherAttestation): Bill {
  const ignored = new Map([[`attestations of ${predicateType}`, 1]]);
  return { ...NO_CONTENT, ignored };
}

function isJson(beginning: string): boolean {
  return /^\s*[[{]/.test(beginning) && !BUN_LOCK.test(beginning) && !isTomlLock(beginning);
}

function textFormatOf(text: string, beginning: string): TextFormat | undefined {
  const found = TEXTS.find((format) => format.beginning.test(beginning));
  return found ?? TEXTS.find(({ line }) => line?.test(text));
}

function beginningOf(text: string): string {
  return text.slice(0, BEGINNING_CHARACTERS).replace(/^\uFEFF/, '');
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** What a document wraps: an attestation a bill, GitHub's REST API `sbom`. */
function billIn(parsed: JsonObject): Attested {
  const attested = unwrapped(parsed);
  const { sbom } = attested.document;
  return isJsonObject(sbom) ? { ...attested, document: sbom } : attested;
}

function formatOf(document: JsonObject): DocumentFormat | undefined {
  return DOCUMENTS.find(({ test }) => test(document));
}

function contextOf(document: JsonObject): string {
  return exactText(document['@context'] ?? '');
}

async function readDocument(bill: BillText, parsed: JsonObject): Promise<Bill> {
  const { document, subjects } = billIn(parsed);
  const format = formatOf(document);
  if (format !== undefined) {
    const found = await format.read(document, bill, subjects);
    return format.isAdvisory === true || format.hasSubjects === true ? found : attestedBill(found, subjects);
  }
  refuseUnreadDocuments(document);
  const got = Object.keys(document).slice(0, 5).join(', ').slice(0, 200) || 'nothing';
  throw new DomainError(
    'INVALID_REQUEST',
    `expected a bill, an advisory, a lock file, or a report of Trivy or Grype, got a document with ${got}`,
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

/** The results of scanners, with what was scanned. */
async function readScan(
  document: JsonObject,
  bill: BillText,
  subjects: readonly AttestedSubject[],
): Promise<Bill> {
  const bills: Bill[] = [];
  for (const result of scanResults(document)) {
    const { report, isList } = result;
    const format = isList ? undefined : formatOf(report);
    const isReport = format !== undefined && format.isAdvisory !== true && format.hasSubjects !== true;
    bills.push(
      isReport
        ? attestedBill(await format.read(report, bill, subjects), subjects)
        : listedScan(result, subjects),
    );
  }
  return mergedBills(bills);
}

function listedScan(result: ScanResult, subjects: readonly AttestedSubject[]): Bill {
  const { report, isList, place, scanner: match } = result;
  if (!isList && !isSarif(report)) {
    const got = Object.keys(report).slice(0, 5).join(', ').slice(0, 200) || 'nothing';
    throw new DomainError(
      'INVALID_REQUEST',
      `${place}: expected a report of Trivy or Grype, SARIF, or a list of vulnerabilities, got one with ${got}`,
    );
  }
  if (subjects.length === 0)
    throw new DomainError(
      'INVALID_REQUEST',
      `${place}: expected the attestation around it: without its subject, nothing says what was scanned`,
    );
  const list = isList ? readVulnerabilityList(result) : readSarif(result);
  return attestedVulnerabilities(list, subjects, { match });
}
