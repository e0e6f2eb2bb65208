/**
 * Scans as cosign and in-toto attest them: a frame around the results of scanners. A result is the report of
 * Trivy or Grype, SARIF, or a list of vulnerabilities; the last two are about the subject as a whole.
 */
import { isAbsent, isJsonObject, type JsonObject, kindOf } from '#graph/model';
import { DocumentValue } from '../../document/document-value.ts';
import { parseJson } from '../../document/json-text.ts';
import { type Bill, BillBuilder } from '../bill-builder.ts';
import { BillValues, type Placed } from '../bill-values.ts';
import { vulnerabilityNames } from '../vulnerability-names.ts';
import { type Rating, Vulnerabilities } from '../vulnerabilities.ts';

/** What one scanner has found. */
export interface ScanResult {
  /** Its name, such as `trivy`. */
  readonly scanner: string | undefined;
  /** A report, or the list of vulnerabilities as the field `result` of an object. */
  readonly report: JsonObject;
  readonly isList: boolean;
  readonly place: string;
}

const SEVERITY = /^(?:critical|high|medium|moderate|low|negligible|none|unknown)$/i;
/** Grype adds the name of the package. */
const KNOWN_NAME = /^(?:CVE-\d{4}-\d{4,}|GHSA(?:-[\da-z]{4}){3})/i;
/** Names of other databases, as Trivy states them in SARIF: `DSA-5001-1`, `GO-2024-0001`, `TEMP-…`. */
const OTHER_NAME = /^(?:ALAS\w*|DLA|DSA|ELSA|GMS|GO|NSWG|OSV|PYSEC|RHSA|RUSTSEC|SNYK|TEMP|USN)-/;
const CVSS_METHODS: readonly (readonly [RegExp, string])[] = [
  [/4/, 'CVSSv4'],
  [/3/, 'CVSSv31'],
  [/2/, 'CVSSv2'],
];

/** The frame, without a statement around it as well: so `trivy --format cosign-vuln` writes it. */
export function isScan({ scanner, scanners }: JsonObject): boolean {
  const all: readonly unknown[] = Array.isArray(scanners) ? scanners : [scanner];
  return all.some((each) => isJsonObject(each) && 'result' in each);
}

/** Throws INVALID_REQUEST with the place of a frame without a result. */
export function scanResults(document: JsonObject): readonly ScanResult[] {
  const frame = DocumentValue.of(document, 'predicate');
  const scanners = frame.has('scanners') ? frame.objects('scanners') : [frame.object('scanner')];
  return scanners.map((scanner) => {
    const given = scanner.value['result'];
    const place = `${scanner.place}.result`;
    const result =
      typeof given === 'string' ? parseJson(given, `the result of a scanner in ${place}`) : given;
    const name = /([^/@]+)(?:@[^/]*)?$/.exec(scanner.text('uri') ?? '')?.[1]?.toLowerCase();
    if (isJsonObject(result)) return { scanner: name, report: result, isList: false, place };
    if (Array.isArray(result)) return { scanner: name, report: { result }, isList: true, place };
    throw scanner.fault('result', `expected a report or a list of vulnerabilities, got ${kindOf(result)}`);
  });
}

export function isSarif({ runs, version }: JsonObject): boolean {
  return Array.isArray(runs) && version === '2.1.0';
}

/** A list of in-toto: `[{id, severity: [{method, score}]}]`. */
export function readVulnerabilityList({ report, place }: ScanResult): Bill {
  const list = new VulnerabilityList();
  const { values } = list;
  for (const [index, each] of values.topList(report, 'result').entries()) {
    const at = { ...each, place: `${place}[${index}]` };
    values.ignoreOthers(at.value, new Set(['id', 'severity']), 'vulnerability.');
    const id = values.text(at, 'id');
    if (id === undefined) values.leaveOut(at.place, 'it has no id and is left out');
    else list.add(id, ratingOf(at, values));
  }
  return list.finish();
}

/** The rules of SARIF whose names are those of vulnerabilities, as far as there are results of them. */
export function readSarif({ report, place }: ScanResult): Bill {
  const list = new VulnerabilityList();
  const { values } = list;
  for (const run of values.list({ value: report, place }, 'runs')) {
    const tool = values.object(run, 'tool');
    const driver = tool && values.object(tool, 'driver');
    const rules = driver === undefined ? [] : values.list(driver, 'rules');
    const byId = new Map(rules.map((rule) => [values.text(rule, 'id'), rule]));
    // None at all says that nothing was looked for.
    if (isAbsent(run.value['results']))
      values.leaveOut(`${run.place}.results`, 'expected a list, got nothing');
    for (const result of values.list(run, 'results')) {
      const id = values.text(result, 'ruleId');
      const name = nameIn(id ?? '');
      if (id === undefined) values.leaveOut(result.place, 'it has no ruleId and is left out');
      else if (name === undefined) values.ignore('results of SARIF that name no vulnerability');
      else list.add(name, ...aboutRule(byId.get(id), values));
    }
  }
  return list.finish();
}

/** The vulnerability in the name of a rule. */
function nameIn(rule: string): string | undefined {
  return KNOWN_NAME.exec(rule)?.[0] ?? (OTHER_NAME.test(rule) ? rule : undefined);
}

class VulnerabilityList {
  readonly values = new BillValues();
  readonly #builder = new BillBuilder(this.values, { referenceTo: 'subject', isExternal: () => true });
  readonly #vulnerabilities = new Vulnerabilities(this.#builder);

  add(id: string, rating: Rating, description?: string): void {
    const { name, aliases } = vulnerabilityNames(id, []);
    this.#vulnerabilities.add({ name, aliases, description, ratings: [rating], statements: [] });
  }

  finish(): Bill {
    this.#vulnerabilities.emit();
    return this.#builder.finish();
  }
}

/** Of several scores: a word, and a number, which is a text mostly. */
function ratingOf(vulnerability: Placed, values: BillValues): Rating {
  const isOne = isJsonObject(vulnerability.value['severity']);
  const entries = isOne ? [values.object(vulnerability, 'severity')] : values.list(vulnerability, 'severity');
  const ratings = entries.flatMap((each) => (each === undefined ? [] : scoreOf(each, values)));
  const scored = ratings.find(({ score }) => score !== undefined);
  const severity = ratings.find((each) => each.severity !== undefined)?.severity;
  return { method: scored?.method, score: scored?.score, severity };
}

function scoreOf(entry: Placed, values: BillValues): Rating {
  const isNumber = typeof entry.value['score'] === 'number';
  const text = isNumber ? String(values.number(entry, 'score')) : values.text(entry, 'score');
  const stated = values.text(entry, 'method') ?? '';
  const isWord = text !== undefined && SEVERITY.test(text);
  const score = text === undefined ? Number.NaN : Number(text);
  // Vectors are not read.
  if (!isWord && Number.isNaN(score)) values.ignore('vulnerability.severity');
  return {
    method: CVSS_METHODS.find(([pattern]) => pattern.test(stated))?.[1],
    score: Number.isFinite(score) ? score : undefined,
    severity: isWord ? text.toLowerCase() : undefined,
  };
}

function aboutRule(rule: Placed | undefined, values: BillValues): readonly [Rating, string | undefined] {
  const nothing = { method: undefined, score: undefined, severity: undefined };
  if (rule === undefined) return [nothing, undefined];
  const properties = values.object(rule, 'properties');
  const score = properties && values.text(properties, 'security-severity');
  const tags = properties === undefined ? [] : values.texts(properties, 'tags').texts;
  const description = values.object(rule, 'fullDescription') ?? values.object(rule, 'shortDescription');
  const rating = {
    ...nothing,
    score: score === undefined || !Number.isFinite(Number(score)) ? undefined : Number(score),
    severity: tags.find((tag) => SEVERITY.test(tag))?.toLowerCase(),
  };
  return [rating, description && values.text(description, 'text')];
}
