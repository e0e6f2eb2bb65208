import { FieldPath, type JsonObject } from '#graph/model';
import { objectsIn, textIn, textOr } from '../json-text.ts';
import { type Bill, BillBuilder } from './bill-builder.ts';
import { componentName } from './component-name.ts';
import { licencesIn } from './licence.ts';

const VERSIONS: readonly unknown[] = ['SPDX-2.2', 'SPDX-2.3'];
const TOP = new FieldPath();
const DOCUMENT = 'SPDXRef-DOCUMENT';
/** SPDX values for unknown and none. */
const NOTHING: ReadonlySet<string> = new Set(['NONE', 'NOASSERTION']);
const DEPENDENCY_OF = /^(?:([A-Z]+)_)?DEPENDENCY_OF$/;

/**
 * The content of an SPDX document (JSON, 2.2 and 2.3): each package by its package URL, as for CycloneDX; the
 * described element as the project; declared licences, or else concluded ones; DEPENDS_ON, from both
 * directions that SPDX has for it, and CONTAINS. Throws INVALID_REQUEST naming the field.
 */
export function readSpdx(document: JsonObject): Bill {
  if (!VERSIONS.includes(document['spdxVersion'])) {
    throw TOP.fault('spdxVersion', 'expected SPDX-2.2 or SPDX-2.3: write the bill in that version');
  }
  return new SpdxReader(document).read();
}

class SpdxReader {
  readonly #document: JsonObject;
  readonly #relations: readonly JsonObject[];
  readonly #builder = new BillBuilder('package with the identifier');

  constructor(document: JsonObject) {
    this.#document = document;
    this.#relations = objectsIn(document, 'relationships', TOP);
  }

  read(): Bill {
    const subjects = this.#subjects();
    for (const [index, item] of objectsIn(this.#document, 'packages', TOP).entries()) {
      this.#addPackage(item, new FieldPath(`packages[${index}]`), subjects);
    }
    const files = objectsIn(this.#document, 'files', TOP).map(({ SPDXID }) => SPDXID);
    for (const relation of this.#relations) this.#addRelation(relation, new Set(files));
    return this.#builder.bill;
  }

  /** Identifiers of the described elements. */
  #subjects(): ReadonlySet<unknown> {
    const { documentDescribes: listed } = this.#document;
    const described = this.#relations.flatMap((relation) => {
      const { spdxElementId: from, relatedSpdxElement: to, relationshipType: type } = relation;
      if (type === 'DESCRIBES' && from === DOCUMENT) return [to];
      return type === 'DESCRIBED_BY' && to === DOCUMENT ? [from] : [];
    });
    return new Set<unknown>([...(Array.isArray(listed) ? (listed as unknown[]) : []), ...described]);
  }

  #addPackage(item: JsonObject, path: FieldPath, subjects: ReadonlySet<unknown>): void {
    const id = textIn(item, 'SPDXID', path);
    const purl = referenceOf(item, path, 'purl');
    const isSubject = subjects.has(id);
    const version = textOr(item, 'versionInfo');
    const name = componentName({ purl, version, plainName: () => textIn(item, 'name', path), isSubject });
    const licence = licenceOf(item);
    this.#builder.addComponent(id, {
      name,
      isSubject,
      properties: {
        name: name.name,
        version,
        purl,
        license: licence,
        cpe: referenceOf(item, path, 'cpe23Type'),
        kind: textOr(item, 'primaryPackagePurpose')?.toLowerCase(),
        supplier: said(textOr(item, 'supplier')),
        description: textOr(item, 'description'),
      },
      licences: licence === undefined ? [] : licencesIn(licence),
    });
  }

  #addRelation(relation: JsonObject, files: ReadonlySet<unknown>): void {
    const path = new FieldPath('relationships');
    const meaning = meaningOf(textIn(relation, 'relationshipType', path));
    if (meaning === undefined) return;
    const ends = [textIn(relation, 'spdxElementId', path), textIn(relation, 'relatedSpdxElement', path)];
    if (ends.some((end) => end === DOCUMENT || NOTHING.has(end) || files.has(end))) return;
    const [from, to] = (meaning.isReverse ? ends.toReversed() : ends).map((end) =>
      this.#builder.find(end, meaning.verb),
    );
    if (from !== undefined && to !== undefined)
      this.#builder.relate(from, meaning.verb, to, meaning.properties);
  }
}

interface Meaning {
  readonly verb: string;
  /** From the second end to the first. */
  readonly isReverse: boolean;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** Undefined for relationships that are neither dependencies nor containment. */
function meaningOf(type: string): Meaning | undefined {
  if (type === 'DEPENDS_ON' || type === 'CONTAINS') return { verb: type, isReverse: false, properties: {} };
  if (type === 'CONTAINED_BY') return { verb: 'CONTAINS', isReverse: true, properties: {} };
  const dependency = DEPENDENCY_OF.exec(type);
  if (dependency === null) return undefined;
  const [, kind] = dependency;
  const properties = kind === undefined ? {} : { kind: kind.toLowerCase() };
  return { verb: 'DEPENDS_ON', isReverse: true, properties };
}

function referenceOf(item: JsonObject, path: FieldPath, type: string): string | undefined {
  const found = objectsIn(item, 'externalRefs', path).find(({ referenceType }) => referenceType === type);
  return found && textOr(found, 'referenceLocator');
}

/** The declared licence takes precedence over the concluded one. */
function licenceOf(item: JsonObject): string | undefined {
  return said(textOr(item, 'licenseDeclared')) ?? said(textOr(item, 'licenseConcluded'));
}

function said(text: string | undefined): string | undefined {
  return text === undefined || NOTHING.has(text) ? undefined : text;
}
