import { type EntityKey, FieldPath, type JsonObject } from '#graph/model';
import { namesOfImage } from '../image/bill-image.ts';
import { type Bill, BillBuilder, type LicenceTexts } from './bill-builder.ts';
import { BillValues, type Placed } from './bill-values.ts';
import { componentName, hashText, listed, said } from './component-name.ts';
import type { DocumentLink } from './document-link.ts';
import { sourceInSentence } from './source-package.ts';
import { meaningOf } from './spdx-relation.ts';

const VERSIONS: readonly unknown[] = ['SPDX-2.2', 'SPDX-2.3'];
const TOP = new FieldPath();
const DOCUMENT = 'SPDXRef-DOCUMENT';
/** Values for unknown and none. */
const NOTHING: ReadonlySet<string> = new Set(['NONE', 'NOASSERTION']);
const fields = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const KNOWN = {
  document: fields(
    '$schema SPDXID spdxVersion dataLicense name documentNamespace documentDescribes externalDocumentRefs ' +
      'packages relationships files snippets',
  ),
  package: fields(
    'SPDXID name versionInfo externalRefs licenseDeclared licenseConcluded supplier description primaryPackagePurpose ' +
      'checksums',
  ),
};

/**
 * The content of an SPDX document (JSON, 2.2 and 2.3): each package by its package URL, as for CycloneDX; the
 * described package as the project; declared licences, or else concluded ones; and the relationships between
 * packages. Values that are not as expected are left out with a warning. Throws INVALID_REQUEST for a
 * document of another kind.
 */
export function readSpdx(document: JsonObject): Bill {
  if (!VERSIONS.includes(document['spdxVersion'])) {
    throw TOP.fault('spdxVersion', 'expected SPDX-2.2 or SPDX-2.3: write the bill in that version');
  }
  return new SpdxReader(document).read();
}

class SpdxReader {
  readonly #root: Placed;
  readonly #values = new BillValues();
  readonly #packages: readonly Placed[];
  readonly #relations: readonly Placed[];
  readonly #builder: BillBuilder;
  /** The names of other documents, by what this one calls them. */
  readonly #documents: ReadonlyMap<string | undefined, string | undefined>;
  /** Identifiers of files and snippets, which are not read. */
  readonly #others: ReadonlySet<unknown>;

  constructor(document: JsonObject) {
    this.#root = { value: document, place: 'document' };
    const list = (name: string): readonly Placed[] => this.#values.topList(document, name);
    this.#packages = list('packages');
    this.#relations = list('relationships');
    const others = [...list('files'), ...list('snippets')];
    this.#others = new Set(others.map(({ value }) => value['SPDXID']));
    this.#documents = new Map(
      list('externalDocumentRefs').map((each) => [
        this.#values.text(each, 'externalDocumentId'),
        this.#values.text(each, 'spdxDocument'),
      ]),
    );
    this.#builder = new BillBuilder(this.#values, {
      referenceTo: 'package with the identifier',
      isExternal: isOfOther,
      linkOf: (reference) => this.#linkOf(reference),
    });
  }

  read(): Bill {
    const document = this.#root.value;
    this.#values.ignoreOthers(document, KNOWN.document, '');
    for (const name of ['files', 'snippets']) this.#values.ignore(name, lengthOf(document[name]));
    const described = this.#described();
    const subject = described.length === 1 ? described[0] : undefined;
    for (const item of this.#packages) this.#addPackage(item, subject);
    if (described.length > 1) this.#addProject(described);
    for (const relation of this.#relations) this.#addRelation(relation);
    const namespace = this.#values.text(this.#root, 'documentNamespace');
    const bill = this.#builder.finish();
    if (namespace === undefined) return bill;
    const find = (element: string): EntityKey | undefined =>
      this.#builder.entityOf(element === DOCUMENT ? (subject ?? DOCUMENT) : element);
    return { ...bill, documents: [{ document: namespace, find }] };
  }

  /** `DocumentRef-lib:SPDXRef-a`. */
  #linkOf(reference: string): DocumentLink | undefined {
    const [, name, element = ''] = /^(DocumentRef-[^:]+):(.+)$/.exec(reference) ?? [];
    const document = this.#documents.get(name);
    return document === undefined ? undefined : { document, element, mention: document, name: document };
  }

  /** Identifiers of the described packages. */
  #described(): readonly string[] {
    const { texts } = this.#values.texts(this.#root, 'documentDescribes');
    const described = this.#relations.flatMap(({ value }) => {
      const { spdxElementId: from, relatedSpdxElement: to, relationshipType: type } = value;
      if (type === 'DESCRIBES' && from === DOCUMENT) return [to];
      return type === 'DESCRIBED_BY' && to === DOCUMENT ? [from] : [];
    });
    const packages = new Set(this.#packages.map(({ value }) => value['SPDXID']));
    const found = new Set(
      [...texts, ...described].filter((id) => typeof id === 'string' && packages.has(id)),
    );
    return [...found] as readonly string[];
  }

  /** A document that describes several packages is the project of all of them. */
  #addProject(described: readonly string[]): void {
    const name = this.#values.text(this.#root, 'name') ?? this.#values.text(this.#root, 'documentNamespace');
    const project = componentName({ plainName: name, isSubject: true });
    if (project === undefined) {
      this.#values.warn('document', 'it has no name: no project describes its packages');
      return;
    }
    const licences = { declared: [], concluded: [] };
    const component = { name: project, class: 'Project', properties: { name: project.name }, licences };
    this.#builder.addComponent(DOCUMENT, component, 'document');
    for (const reference of described) {
      const end = { owner: project, end: 'from', verb: 'DESCRIBES' } as const;
      this.#builder.link({ ...end, reference, place: 'document' });
    }
  }

  #addPackage(item: Placed, subject: string | undefined): void {
    const values = this.#values;
    values.ignoreOthers(withoutUnsaid(item.value), KNOWN.package, 'package.');
    const id = values.text(item, 'SPDXID');
    const references = this.#references(item);
    const purl = said(this.#locator(references, 'purl'));
    const kind = values.text(item, 'primaryPackagePurpose')?.toLowerCase().replaceAll('_', '-');
    const isSubject = id !== undefined && id === subject;
    const version = values.text(item, 'versionInfo');
    const name = componentName({ purl, version, plainName: values.text(item, 'name'), kind, isSubject });
    if (name === undefined) {
      values.leaveOut(item.place, 'it has no name and is left out');
      return;
    }
    const component = {
      name,
      class: isSubject ? 'Project' : 'Package',
      properties: {
        name: name.name,
        version: name.version,
        purl,
        ...sourceInSentence(values.text(item, 'sourceInfo')),
        cpe: this.#locator(references, 'cpe23Type') ?? this.#locator(references, 'cpe22Type'),
        kind,
        supplier: said(values.text(item, 'supplier')),
        description: values.text(item, 'description'),
        hashes: listed(this.#hashes(item)),
      },
      licences: this.#licences(item),
    };
    this.#builder.addComponent(id, component, item.place);
    if (!isSubject || kind !== 'container') return;
    const stated = { purl, version, name: values.text(item, 'name'), stated: [] };
    const image = this.#builder.addImage(namesOfImage(stated));
    if (image !== undefined) this.#builder.relate(image, 'MAPS_TO', name);
  }

  /** The first reference of each type; only a package URL and a CPE are read. */
  #references(item: Placed): ReadonlyMap<string, Placed> {
    const all = this.#values.list(item, 'externalRefs');
    const byType = new Map(
      all.toReversed().map((each) => [this.#values.text(each, 'referenceType') ?? '', each]),
    );
    const isRead = (type: string): number => (byType.has(type) ? 1 : 0);
    const cpes = isRead('cpe23Type') || isRead('cpe22Type');
    this.#values.ignore('package.externalRefs', all.length - isRead('purl') - cpes);
    return byType;
  }

  #locator(references: ReadonlyMap<string, Placed>, type: string): string | undefined {
    const found = references.get(type);
    return found && this.#values.text(found, 'referenceLocator');
  }

  #hashes(item: Placed): readonly string[] {
    const hashes = this.#values.list(item, 'checksums').flatMap((each) => {
      const content = this.#values.text(each, 'checksumValue');
      const algorithm = this.#values.text(each, 'algorithm');
      return content === undefined || algorithm === undefined ? [] : [hashText(algorithm, content)];
    });
    return this.#values.atMost(hashes, `${item.place}.checksums`);
  }

  #licences(item: Placed): LicenceTexts {
    const textIn = (field: string): readonly string[] => {
      const text = said(this.#values.text(item, field));
      return text === undefined ? [] : [text];
    };
    return { declared: textIn('licenseDeclared'), concluded: textIn('licenseConcluded') };
  }

  #addRelation(relation: Placed): void {
    const [type, from, to] = ['relationshipType', 'spdxElementId', 'relatedSpdxElement'].map((field) =>
      this.#values.text(relation, field),
    );
    const meaning = meaningOf(type ?? '');
    if (from === undefined || to === undefined || meaning === undefined) {
      this.#values.leaveOut(
        relation.place,
        `expected two elements and a type, got ${[from, type, to].join(' ')}`.slice(0, 200),
      );
      return;
    }
    const others = [from, to].filter((end) => end === DOCUMENT || NOTHING.has(end) || this.#others.has(end));
    if (others.length > 0) {
      const isRead = to === 'NONE' || type === 'DESCRIBES' || type === 'DESCRIBED_BY';
      if (!isRead) this.#values.ignore(`relationships of files, the document or unknown elements`);
      return;
    }
    const [owner, reference] = meaning.isReverse ? [to, from] : [from, to];
    const { verb, properties } = meaning;
    this.#builder.linkBetween(owner, { verb, reference, place: relation.place, properties });
  }
}

/** Whether an element is one of another document. */
function isOfOther(id: string): boolean {
  return id.startsWith('DocumentRef-');
}

function withoutUnsaid(item: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(item).filter(([, value]) => typeof value !== 'string' || !NOTHING.has(value)),
  );
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}
