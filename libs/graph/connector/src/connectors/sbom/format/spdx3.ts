/**
 * SPDX 3.0 in JSON-LD: its packages by their package URL, as for the other formats; the one package that the
 * document is about as the project; licences, relationships between packages, and vulnerabilities with their
 * VEX relationships. Elements of other kinds are counted.
 */
import { type EntityKey, FieldPath, isAbsent, type JsonObject, jsonObject, kindOf } from '#graph/model';
import { exactText } from '../../document/flat-properties.ts';
import { type Bill, BillBuilder, type LicenceTexts } from '../bill-builder.ts';
import { BillValues, type Placed } from '../bill-values.ts';
import { componentName, hashText, listed, said } from '../component-name.ts';
import { meaningOf } from '../spdx-relation.ts';
import { isAffectedIn, type Statement, Vulnerabilities } from '../vulnerabilities.ts';
import type { DocumentLink } from '../document-link.ts';
import { fittingKey } from '../../document/fitting-key.ts';
import { licencesOf } from './spdx3-licences.ts';
import { scalarText } from '../../document/json-text.ts';

const PACKAGES: ReadonlySet<unknown> = new Set([
  'software_Package',
  'ai_AIPackage',
  'dataset_DatasetPackage',
]);
/** In the address of the context: `https://spdx.org/rdf/3.0.1/spdx-context.jsonld`. */
const VERSION = /spdx\.org\/rdf\/v?(\d+\.\d+)/i;
const fields = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const KNOWN = fields(
  'type @type spdxId @id creationInfo name description software_packageVersion software_packageUrl externalIdentifier ' +
    'software_primaryPurpose suppliedBy verifiedUsing',
);
/** Elements that state nothing of their own. */
const FRAME: ReadonlySet<unknown> = new Set([
  'CreationInfo',
  'SpdxDocument',
  'software_Sbom',
  'Bom',
  'Person',
  'Organization',
  'Agent',
  'SoftwareAgent',
  'Tool',
  'security_Vulnerability',
]);
/** Relationships from a vulnerability to elements, with the states of CycloneDX. */
const VEX: ReadonlyMap<string, string> = new Map([
  ['affects', 'exploitable'],
  ['underInvestigationFor', 'in_triage'],
  ['fixedIn', 'resolved'],
  ['doesNotAffect', 'not_affected'],
]);
const LICENCES: ReadonlySet<string> = new Set(['hasDeclaredLicense', 'hasConcludedLicense']);

/** Throws INVALID_REQUEST for a document without a graph, and for one of another version. */
export function readSpdx3(document: JsonObject): Bill {
  const [, version] = VERSION.exec(exactText(document['@context'] ?? '')) ?? [];
  if (version !== undefined && version !== '3.0')
    throw new FieldPath().fault('@context', `expected version 3.0, got ${version}`);
  return new Spdx3Reader(document).read();
}

class Spdx3Reader {
  readonly #values = new BillValues();
  readonly #elements: readonly Placed[];
  readonly #byId = new Map<string, Placed>();
  /** Elements that the document imports, with the document that has them. */
  readonly #imported = new Map<string, string>();
  readonly #builder: BillBuilder;
  #licences: ReadonlyMap<string, LicenceTexts> = new Map();
  readonly #vulnerabilities: Vulnerabilities;

  constructor(document: JsonObject) {
    const list = document['@graph'];
    if (list === undefined)
      throw new FieldPath().fault('@graph', 'expected the list of elements, got nothing');
    this.#elements = this.#values.topList(document, '@graph');
    this.#builder = new BillBuilder(this.#values, {
      referenceTo: 'element',
      isExternal: (reference) => this.#imported.has(reference),
      linkOf: (reference) => this.#linkOf(reference),
    });
    this.#vulnerabilities = new Vulnerabilities(this.#builder);
  }

  read(): Bill {
    for (const element of this.#elements) {
      const id = this.#idOf(element);
      if (id !== undefined && !isRelationship(element)) this.#byId.set(id, element);
      // Version 3.0.0 has the other name.
      for (const each of ['import', 'imports'].flatMap((name) => this.#values.list(element, name)))
        this.#import(each);
    }
    this.#licences = licencesOf(this.#elements, this.#byId, this.#values);
    const roots = this.#rootPackages();
    const subject = roots.length === 1 ? roots[0] : undefined;
    for (const element of this.#elements) this.#addElement(element, subject);
    if (roots.length > 1) this.#addProject(roots);
    for (const element of this.#elements) if (isRelationship(element)) this.#addRelationship(element);
    this.#vulnerabilities.emit();
    const find = (id: string): EntityKey | undefined => this.#builder.entityOf(id) ?? this.#named(id);
    return { ...this.#builder.finish(), documents: [{ document: '', find }] };
  }

  #import(map: Placed): void {
    const id = this.#values.text(map, 'externalSpdxId');
    const hint = this.#values.text(map, 'locationHint');
    if (id !== undefined) this.#imported.set(id, hint ?? documentOf(id));
  }

  /** Ids are those of elements, whichever document has them. */
  #linkOf(id: string): DocumentLink | undefined {
    const name = this.#imported.get(id);
    return name === undefined ? undefined : { document: '', element: id, mention: documentOf(id), name };
  }

  /** A vulnerability of this document. */
  #named(id: string): EntityKey | undefined {
    const element = this.#byId.get(id);
    if (element === undefined || typeOf(element) !== 'security_Vulnerability') return undefined;
    return { type: 'vulnerability', key: fittingKey(this.#vulnerabilityName(element)) };
  }

  #idOf(element: Placed): string | undefined {
    return this.#values.text(element, 'spdxId') ?? this.#values.text(element, '@id');
  }

  /** The packages at the root of the document, or of the bill at its root. */
  #rootPackages(): readonly string[] {
    const roots = (element: Placed): readonly string[] => this.#values.texts(element, 'rootElement').texts;
    const documents = this.#elements.filter((element) => typeOf(element) === 'SpdxDocument');
    const first = documents.flatMap(roots);
    const all = new Set(
      first.flatMap((id) => {
        const element = this.#byId.get(id);
        return element !== undefined && !isPackage(element) ? roots(element) : [id];
      }),
    );
    return [...all].filter((id) => {
      const element = this.#byId.get(id);
      return element !== undefined && isPackage(element);
    });
  }

  /** A document about several packages is the project of all of them. */
  #addProject(roots: readonly string[]): void {
    const document = this.#elements.find((element) => typeOf(element) === 'SpdxDocument');
    const plainName = document && (this.#values.text(document, 'name') ?? this.#idOf(document));
    const project = componentName({ plainName, isSubject: true });
    if (document === undefined || project === undefined) return;
    const licences = { declared: [], concluded: [] };
    const component = { name: project, class: 'Project', properties: { name: project.name }, licences };
    this.#builder.addComponent(this.#idOf(document), component, document.place);
    const link = { owner: project, end: 'from', verb: 'DESCRIBES', place: document.place } as const;
    for (const reference of roots) this.#builder.link({ ...link, reference });
  }

  #addElement(element: Placed, subject: string | undefined): void {
    const type = typeOf(element);
    if (isPackage(element)) this.#addPackage(element, subject);
    else if (typeof type !== 'string')
      this.#values.leaveOut(element.place, `expected the type of the element, got ${kindOf(type)}`);
    else if (!isRelationship(element) && !FRAME.has(type) && !isLicence(type))
      this.#values.ignore(`elements of type ${type.slice(0, 60)}`);
    if (type === 'security_Vulnerability')
      this.#vulnerabilities.add({
        name: this.#vulnerabilityName(element),
        description: this.#values.text(element, 'description'),
        statements: [],
      });
  }

  #addPackage(element: Placed, subject: string | undefined): void {
    const values = this.#values;
    values.ignoreOthers(element.value, KNOWN, 'package.');
    const id = this.#idOf(element);
    const identifiers = values.list(element, 'externalIdentifier');
    const typed = identifiers.map((each) => [each, values.text(each, 'externalIdentifierType')] as const);
    const identifier = (...types: readonly string[]): string | undefined => {
      const [found] = typed.find(([, type]) => type !== undefined && types.includes(type)) ?? [];
      return found && values.text(found, 'identifier');
    };
    const purl = values.text(element, 'software_packageUrl') ?? identifier('packageUrl', 'purl');
    const version = values.text(element, 'software_packageVersion');
    const kind = kebabCase(values.text(element, 'software_primaryPurpose'));
    const isSubject = id !== undefined && id === subject;
    const name = componentName({ purl, version, plainName: values.text(element, 'name'), kind, isSubject });
    if (name === undefined) {
      values.leaveOut(element.place, 'it has no name and is left out');
      return;
    }
    const properties = {
      name: name.name,
      version: name.version,
      purl,
      cpe: identifier('cpe23') ?? identifier('cpe22'),
      kind,
      supplier: this.#supplier(element),
      description: values.text(element, 'description'),
      hashes: listed(this.#hashes(element)),
    };
    const licences = this.#licences.get(id ?? '') ?? { declared: [], concluded: [] };
    const component = { name, class: isSubject ? 'Project' : 'Package', properties, licences };
    this.#builder.addComponent(id, component, element.place);
  }

  #supplier(element: Placed): string | undefined {
    const id = this.#values.text(element, 'suppliedBy');
    const supplier = id === undefined ? undefined : this.#byId.get(id);
    return supplier && said(this.#values.text(supplier, 'name'));
  }

  #hashes(element: Placed): readonly string[] {
    const hashes = this.#values.list(element, 'verifiedUsing').flatMap((each) => {
      const algorithm = this.#values.text(each, 'algorithm');
      const content = this.#values.text(each, 'hashValue');
      return algorithm === undefined || content === undefined ? [] : [hashText(algorithm, content)];
    });
    return this.#values.atMost(hashes, `${element.place}.verifiedUsing`);
  }

  #vulnerabilityName(element: Placed): string {
    const identifiers = this.#values.list(element, 'externalIdentifier');
    const known = identifiers.find(({ value }) =>
      /^(?:cve|securityOther)$/.test(scalarText(value['externalIdentifierType'])),
    );
    const name = known && this.#values.text(known, 'identifier');
    return name ?? this.#values.text(element, 'name') ?? this.#idOf(element) ?? element.place;
  }

  #addRelationship(element: Placed): void {
    const type = this.#values.text(element, 'relationshipType');
    const from = this.#values.text(element, 'from');
    const { texts: to, isWhole } = this.#values.texts(element, 'to');
    if (type === undefined || from === undefined || !isWhole || isAbsent(element.value['to'])) {
      this.#values.leaveOut(element.place, 'expected from, to and a relationshipType');
      return;
    }
    if (LICENCES.has(type)) return;
    for (const target of to) this.#relate(element, type, [from, target]);
  }

  #relate(element: Placed, type: string, [from, to]: readonly [string, string]): void {
    const { place } = element;
    const state = VEX.get(type);
    if (state !== undefined || type === 'hasAssociatedVulnerability') {
      const [about, reference] = state === undefined ? [to, from] : [from, to];
      const justification = this.#values.text(element, 'security_justificationType');
      this.#state(about, { reference, place, state, justification });
      return;
    }
    const meaning = meaningOf(snakeCase(type));
    const ends = [from, to].map((id) => this.#byId.get(id));
    if (meaning === undefined || ends.some((end) => end !== undefined && !isPackage(end))) {
      if (type !== 'describes') this.#values.ignore('relationships of elements that are no packages');
      return;
    }
    const [owner, reference] = meaning.isReverse ? [to, from] : [from, to];
    // Of a dependency in a part of the life cycle, such as `development`.
    const scope = this.#values.text(element, 'scope');
    const properties = { ...meaning.properties, ...(scope !== undefined && { kind: scope }) };
    this.#builder.linkBetween(owner, { verb: meaning.verb, reference, place, properties });
  }

  #state(id: string, statement: Statement): void {
    const element = this.#byId.get(id);
    if (element === undefined && this.#imported.has(id)) {
      this.#stateOfImported(id, statement);
      return;
    }
    const name = element === undefined ? id : this.#vulnerabilityName(element);
    this.#vulnerabilities.add({ name, statements: [statement] });
  }

  /** Of a vulnerability that another document has: what is stated is kept at the package. */
  #stateOfImported(reference: string, { state, justification, place, ...about }: Statement): void {
    const owner = this.#builder.entityOf(about.reference);
    const verb = isAffectedIn(state) ? 'HAS' : 'NOT_AFFECTED_BY';
    const properties = { state, justification };
    if (owner === undefined) this.#values.ignore('relationships between other documents');
    else this.#builder.link({ owner, end: 'from', verb, reference, place, properties });
  }
}

/** The beginning that the ids of one document have, as a rule. */
function documentOf(id: string): string {
  return id.replace(/(?<=.)[#/][^#/]*$/, '');
}

function typeOf({ value }: Placed): unknown {
  return value['type'] ?? value['@type'];
}

function isPackage(element: Placed): boolean {
  return PACKAGES.has(typeOf(element));
}

function isRelationship(element: Placed): boolean {
  return /Relationship$/.test(scalarText(typeOf(element)));
}

function isLicence(type: unknown): boolean {
  return /^(?:simple|expanded)licensing_/.test(scalarText(type));
}

/** The type of SPDX 2 for one of SPDX 3: `dependsOn` is DEPENDS_ON, `hasStaticLink` STATIC_LINK. */
function snakeCase(type: string): string {
  const words = type.replace(/^has(?=(?:Static|Dynamic)Link$)/, '').replace(/([a-z])(?=[A-Z])/g, '$1_');
  return words.toUpperCase();
}

function kebabCase(text: string | undefined): string | undefined {
  return text?.replace(/([a-z])(?=[A-Z])/g, '$1-').toLowerCase();
}

/** The document, also if it is a single element with a context around it. */
export function spdx3Document(document: JsonObject): JsonObject {
  if ('@graph' in document) return document;
  const { '@context': context, ...element } = document;
  return jsonObject({ '@context': context, '@graph': [element] }, new FieldPath());
}
