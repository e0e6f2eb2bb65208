import { FieldPath, isAbsent, type JsonObject, jsonObject } from '#graph/model';
import { objectsIn, textIn, textOr } from '../json-text.ts';
import { type Bill, BillBuilder } from './bill-builder.ts';
import { nameOfComponent } from './component-name.ts';
import { licencesIn } from './licence.ts';

const VERSIONS: readonly unknown[] = ['1.2', '1.3', '1.4', '1.5', '1.6', '1.7'];
/** VEX states of a component that is not, or no longer, affected. */
const UNAFFECTED: ReadonlySet<string> = new Set([
  'not_affected',
  'false_positive',
  'resolved',
  'resolved_with_pedigree',
]);
const TOP = new FieldPath();

/**
 * The content of a CycloneDX document (JSON, 1.2 to 1.7): its subject as `npm_project` or `project`, each
 * component as `npm_package`, `pypi_package`, … by its package URL, licences, DEPENDS_ON, and `vulnerability`
 * with HAS, or NOT_AFFECTED_BY by its analysis (VEX). Throws INVALID_REQUEST naming the field.
 */
export function readCycloneDx(document: JsonObject): Bill {
  if (!VERSIONS.includes(document['specVersion'])) {
    throw TOP.fault('specVersion', 'expected a version from 1.2 to 1.7');
  }
  return new CycloneDxReader(document).read();
}

class CycloneDxReader {
  readonly #document: JsonObject;
  readonly #builder = new BillBuilder('component with the reference');

  constructor(document: JsonObject) {
    this.#document = document;
  }

  read(): Bill {
    this.#addSubject();
    this.#addComponents(this.#document, TOP);
    for (const dependency of objectsIn(this.#document, 'dependencies', TOP))
      this.#addDependencies(dependency);
    for (const each of objectsIn(this.#document, 'vulnerabilities', TOP)) this.#addVulnerability(each);
    return this.#builder.bill;
  }

  #addSubject(): void {
    const { metadata } = this.#document;
    if (metadata === undefined || metadata === null) return;
    const subject = jsonObject(metadata, TOP, 'metadata')['component'];
    if (subject === undefined) return;
    this.#addComponent(
      jsonObject(subject, TOP, 'metadata.component'),
      new FieldPath('metadata.component'),
      true,
    );
  }

  /** Components nest to a depth chosen by the sender: uses a list instead of recursion. */
  #addComponents(holder: JsonObject, path: FieldPath): void {
    const open = [...objectsIn(holder, 'components', path)];
    const place = new FieldPath('components');
    for (let component = open.pop(); component !== undefined; component = open.pop()) {
      this.#addComponent(component, place, false);
      open.push(...objectsIn(component, 'components', place));
    }
  }

  #addComponent(component: JsonObject, path: FieldPath, isSubject: boolean): void {
    const name = nameOfComponent(component, path, isSubject);
    const licences = licencesOf(component, path);
    this.#builder.addComponent(textOr(component, 'bom-ref') ?? textOr(component, 'purl') ?? name.key, {
      name,
      isSubject,
      properties: {
        name: name.name,
        version: textOr(component, 'version'),
        purl: textOr(component, 'purl'),
        license: licences.length === 0 ? undefined : licences.join(' AND '),
        scope: textOr(component, 'scope'),
        kind: textOr(component, 'type'),
        description: textOr(component, 'description'),
      },
      licences: licences.flatMap(licencesIn),
    });
  }

  #addDependencies(dependency: JsonObject): void {
    const path = new FieldPath('dependencies');
    const reference = textIn(dependency, 'ref', path);
    const from = this.#builder.find(reference, 'DEPENDS_ON');
    for (const other of textsIn(dependency, 'dependsOn', path)) {
      const to = this.#builder.find(other, 'DEPENDS_ON');
      if (from !== undefined && to !== undefined) this.#builder.relate(from, 'DEPENDS_ON', to);
    }
  }

  #addVulnerability(vulnerability: JsonObject): void {
    const path = new FieldPath('vulnerabilities');
    const key = textOr(vulnerability, 'id') ?? textIn(vulnerability, 'bom-ref', path);
    const ratings = objectsIn(vulnerability, 'ratings', path);
    const to = { type: 'vulnerability', key };
    this.#builder.addEntity({
      ...to,
      class: 'Vulnerability',
      properties: {
        name: key,
        description: textOr(vulnerability, 'description'),
        severity: ratings.map((rating) => textOr(rating, 'severity')).find((each) => each !== undefined),
        score: ratings.map(({ score }) => score).find((score) => typeof score === 'number'),
      },
    });
    const { analysis } = vulnerability;
    const judged = isAbsent(analysis) ? {} : jsonObject(analysis, path, 'analysis');
    const state = textOr(judged, 'state');
    const justification = textOr(judged, 'justification');
    for (const affected of objectsIn(vulnerability, 'affects', path)) {
      const isUnaffected = UNAFFECTED.has(state ?? '') || areAllUnaffected(affected, path);
      const verb = isUnaffected ? 'NOT_AFFECTED_BY' : 'HAS';
      const from = this.#builder.find(textIn(affected, 'ref', path), verb);
      if (from !== undefined) this.#builder.relate(from, verb, to, { state, justification });
    }
  }
}

/** If the statement distinguishes versions, all of them must be unaffected. */
function areAllUnaffected(affected: JsonObject, path: FieldPath): boolean {
  const versions = objectsIn(affected, 'versions', path);
  return versions.length > 0 && versions.every(({ status }) => status === 'unaffected');
}

/** Each entry is a licence with an id or a name, or an expression of several. */
function licencesOf(component: JsonObject, path: FieldPath): readonly string[] {
  const texts = objectsIn(component, 'licenses', path).map((entry) => {
    const expression = textOr(entry, 'expression');
    if (expression !== undefined || entry['license'] === undefined) return expression;
    const licence = jsonObject(entry['license'], path, 'licenses.license');
    return textOr(licence, 'id') ?? textOr(licence, 'name');
  });
  return texts.filter((text) => text !== undefined);
}

function textsIn(object: JsonObject, name: string, path: FieldPath): readonly string[] {
  const list = object[name];
  if (list === undefined || list === null) return [];
  if (Array.isArray(list) && list.every((item) => typeof item === 'string')) return list;
  throw path.fault(name, 'expected a list of texts');
}
