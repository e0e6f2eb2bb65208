import { type EntityKey, FieldPath, type JsonObject } from '#graph/model';
import { namesOfImage } from '../image/bill-image.ts';
import { type Bill, BillBuilder, type LicenceTexts } from './bill-builder.ts';
import { BillValues, type Placed } from './bill-values.ts';
import { billOf, linkOfBom, parseBomLink } from './bom-link.ts';
import { type ComponentName, componentName, hashText, listed, said } from './component-name.ts';
import { CycloneDxVulnerabilities } from './cyclonedx-vulnerabilities.ts';
import { sourceInProperties, type SourcePackage } from './source-package.ts';

const VERSIONS: readonly unknown[] = ['1.2', '1.3', '1.4', '1.5', '1.6', '1.7'];
const TOP = new FieldPath();

const fields = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const KNOWN = {
  document: fields(
    '$schema bomFormat specVersion serialNumber version metadata components services dependencies vulnerabilities ' +
      'externalReferences',
  ),
  component: fields(
    'type name version group bom-ref purl cpe licenses scope description supplier publisher author authors hashes components ' +
      'externalReferences',
  ),
  service: fields(
    'bom-ref group name version provider description endpoints authenticated x-trust-boundary licenses services ' +
      'externalReferences',
  ),
};

/**
 * The content of a CycloneDX document (JSON, 1.2 to 1.7): its subject as `npm_project` or `project`, each
 * component as `npm_package`, `pypi_package`, … by its package URL, each `service`, licences, DEPENDS_ON and
 * PROVIDES, and `vulnerability` with HAS, or NOT_AFFECTED_BY by its analysis (VEX). Values that are not as
 * expected are left out with a warning. Throws INVALID_REQUEST for a document of another kind.
 */
export function readCycloneDx(document: JsonObject): Bill {
  if (!VERSIONS.includes(document['specVersion'])) {
    throw TOP.fault('specVersion', 'expected a version from 1.2 to 1.7');
  }
  return new CycloneDxReader(document).read();
}

/** How components, or services, are added, and the field of those that are parts of one. */
interface Parts {
  readonly nested: string;
  readonly add: (each: Placed) => EntityKey | undefined;
}

class CycloneDxReader {
  readonly #document: JsonObject;
  readonly #values = new BillValues();
  readonly #builder: BillBuilder;
  readonly #components: Parts = { nested: 'components', add: (each) => this.#addComponent(each, false) };
  /** The document's own `<serial>/<version>`, if it can be linked to. */
  readonly #self: string | undefined;

  constructor(document: JsonObject) {
    this.#document = document;
    this.#self = billOf(document);
    this.#builder = new BillBuilder(this.#values, {
      referenceTo: 'component with the reference',
      isExternal: (reference) => parseBomLink(reference) !== undefined,
      purlOf: (reference) => parseBomLink(reference)?.reference,
      linkOf: linkOfBom,
    });
  }

  read(): Bill {
    const root = { value: this.#document, place: '' };
    this.#values.ignoreOthers(this.#document, KNOWN.document, '');
    const subject = this.#addSubject(root);
    this.#linkBills(root, subject, '');
    this.#addAll(this.#values.topList(this.#document, 'components'), this.#components);
    const add = (each: Placed): EntityKey | undefined => this.#addService(each);
    this.#addAll(this.#values.topList(this.#document, 'services'), { nested: 'services', add });
    for (const each of this.#values.topList(this.#document, 'dependencies')) this.#addDependencies(each);
    const local = (text: string): string => this.#local(text);
    const vulnerabilities = new CycloneDxVulnerabilities(this.#values, this.#builder, local);
    vulnerabilities.read(this.#values.topList(this.#document, 'vulnerabilities'));
    const bill = this.#builder.finish();
    if (this.#self === undefined) return bill;
    const find = (element: string): EntityKey | undefined =>
      element === '' ? subject : this.#builder.entityOf(element);
    return { ...bill, documents: [{ document: `urn:cdx:${this.#self}`, find }] };
  }

  #addSubject(root: Placed): EntityKey | undefined {
    const values = this.#values;
    const metadata = values.object(root, 'metadata');
    if (metadata === undefined) return undefined;
    const own = { ...metadata, place: 'metadata' };
    values.ignoreOthers(metadata.value, fields('component'), 'metadata.');
    const subject = values.object(own, 'component');
    if (subject === undefined) return undefined;
    const project = this.#addComponent(subject, true);
    if (project !== undefined && values.text(subject, 'type') === 'container')
      this.#addImage(subject, project);
    this.#addAll(values.list(subject, 'components'), this.#components, project);
    return project && { type: project.type, key: project.key };
  }

  /** What has a bill of its own MAPS_TO the subject of that, or the component that is linked. */
  #linkBills(item: Placed, owner: EntityKey | undefined, kind: string): void {
    const values = this.#values;
    for (const each of values.list(item, 'externalReferences')) {
      const url = values.text(each, 'type') === 'bom' ? values.text(each, 'url') : undefined;
      const link = parseBomLink(url ?? '');
      if (owner === undefined || link === undefined || link.bill === this.#self)
        values.ignore(`${kind}externalReferences`);
      else
        this.#builder.link({ owner, end: 'from', verb: 'MAPS_TO', reference: link.text, place: each.place });
    }
  }

  /** Trivy states the names of an image as properties of the subject. */
  #addImage(subject: Placed, project: EntityKey): void {
    const values = this.#values;
    const stated = values
      .list(subject, 'properties')
      .filter((each) => /:Repo(?:Tag|Digest)$/.test(values.text(each, 'name') ?? ''))
      .flatMap((each) => values.text(each, 'value') ?? []);
    const name = values.text(subject, 'name');
    const [purl, version] = [said(values.text(subject, 'purl')), values.text(subject, 'version')];
    const image = this.#builder.addImage(namesOfImage({ purl, name, version, stated }));
    if (image !== undefined) this.#builder.relate(image, 'MAPS_TO', project);
  }

  /**
   * What has parts CONTAINS them. They nest to a depth chosen by the sender: uses a list instead of
   * recursion.
   */
  #addAll(first: readonly Placed[], { nested, add }: Parts, ofWhole?: EntityKey): void {
    const open = first.toReversed().map((each) => ({ each, whole: ofWhole }));
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const part = add(next.each);
      const whole = part ?? next.whole;
      if (part !== undefined && next.whole !== undefined) this.#contain(next.whole, part);
      const parts = this.#values.list(next.each, nested).toReversed();
      open.push(...parts.map((each) => ({ each, whole })));
    }
  }

  #contain(whole: EntityKey, part: EntityKey): void {
    if (whole.type === part.type && whole.key === part.key)
      this.#values.ignore('relationships of a component with itself');
    else this.#builder.relate(whole, 'CONTAINS', part);
  }

  #addComponent(component: Placed, isSubject: boolean): ComponentName | undefined {
    const values = this.#values;
    values.ignoreOthers(component.value, KNOWN.component, 'component.');
    const purl = said(values.text(component, 'purl'));
    const version = values.text(component, 'version');
    const kind = values.text(component, 'type');
    const plainName = this.#plainName(component);
    const name = componentName({ purl, version, plainName, kind: this.#kindOf(component, kind), isSubject });
    if (name === undefined) {
      values.leaveOut(component.place, 'it has no name and is left out');
      return undefined;
    }
    if (purl !== undefined && !name.type.includes('_'))
      values.warn(`${component.place}.purl`, `${purl.slice(0, 200)} is no package URL`);
    this.#builder.addComponent(
      values.text(component, 'bom-ref') ?? purl,
      {
        name,
        class: isSubject ? 'Project' : 'Package',
        properties: {
          ...this.#properties(component, name),
          purl,
          ...this.#sourceOf(component),
          scope: values.text(component, 'scope'),
          kind,
          cpe: values.text(component, 'cpe'),
          supplier: this.#nameIn(component, 'supplier'),
          publisher: values.text(component, 'publisher'),
          author: this.#author(component),
          hashes: listed(this.#hashes(component)),
        },
        licences: this.#licences(component, name),
      },
      component.place,
    );
    this.#linkBills(component, name, 'component.');
    return name;
  }

  #addService(service: Placed): EntityKey | undefined {
    const values = this.#values;
    values.ignoreOthers(service.value, KNOWN.service, 'service.');
    const version = values.text(service, 'version');
    const name = componentName({ version, plainName: this.#plainName(service), isSubject: false });
    if (name === undefined) {
      values.leaveOut(service.place, 'it has no name and is left out');
      return undefined;
    }
    const properties = {
      ...this.#properties(service, name),
      endpoints: listed(values.properties(service, 'endpoints')),
      authenticated: values.flag(service, 'authenticated'),
      crosses_trust_boundary: values.flag(service, 'x-trust-boundary'),
      provider: this.#nameIn(service, 'provider'),
    };
    const licences = this.#licences(service, name);
    const component = { name: { ...name, type: 'service' }, class: 'Service', properties, licences };
    this.#builder.addComponent(values.text(service, 'bom-ref'), component, service.place);
    this.#linkBills(service, component.name, 'service.');
    return component.name;
  }

  #properties(each: Placed, { name, version }: ComponentName): Record<string, string | undefined> {
    return { name, version, description: this.#values.text(each, 'description') };
  }

  #sourceOf(component: Placed): SourcePackage {
    const values = this.#values;
    const properties = values.list(component, 'properties');
    return sourceInProperties(
      properties.map((each) => [values.text(each, 'name'), values.text(each, 'value')]),
    );
  }

  #plainName(each: Placed): string | undefined {
    const name = this.#values.text(each, 'name');
    const group = this.#values.text(each, 'group');
    return name === undefined || group === undefined ? name : `${group}/${name}`;
  }

  /** A key and the algorithm that it is for have one name. */
  #kindOf(component: Placed, kind: string | undefined): string | undefined {
    const crypto = kind === 'cryptographic-asset' ? component.value['cryptoProperties'] : undefined;
    if (crypto === undefined) return kind;
    const asset = this.#values.object(component, 'cryptoProperties');
    const material = asset && this.#values.object(asset, 'relatedCryptoMaterialProperties');
    const parts = [
      kind,
      asset && this.#values.text(asset, 'assetType'),
      material && this.#values.text(material, 'type'),
    ];
    return parts.filter((part) => part !== undefined).join('/');
  }

  #nameIn(each: Placed, field: string): string | undefined {
    const object = this.#values.object(each, field);
    return object && this.#values.text(object, 'name');
  }

  /** The author; version 1.6 and later have a list of them. */
  #author(component: Placed): string | undefined {
    const names = this.#values.list(component, 'authors').map((each) => this.#values.text(each, 'name'));
    const all = [this.#values.text(component, 'author'), ...names].filter((name) => name !== undefined);
    return all.length === 0 ? undefined : all.join(', ');
  }

  #hashes(component: Placed): readonly string[] {
    const hashes = this.#values.list(component, 'hashes').flatMap((each) => {
      const content = this.#values.text(each, 'content');
      const algorithm = this.#values.text(each, 'alg');
      return content === undefined || algorithm === undefined ? [] : [hashText(algorithm, content)];
    });
    return this.#values.atMost(hashes, `${component.place}.hashes`);
  }

  /** Each entry is a licence with an id or a name, or an expression of several. */
  #licences(component: Placed, { key }: ComponentName): LicenceTexts {
    const declared: string[] = [];
    const concluded: string[] = [];
    for (const entry of this.#values.list(component, 'licenses')) {
      const licence = this.#values.object(entry, 'license') ?? entry;
      const names = ['expression', 'id', 'name'].map((field) => this.#values.text(licence, field));
      const text = names.find((name) => name !== undefined);
      if (text === undefined) this.#values.warn(entry.place, `a licence of ${key} has no id and no name`);
      else if (said(text) === undefined) continue;
      else if (this.#values.text(licence, 'acknowledgement') === 'concluded') concluded.push(text);
      else declared.push(text);
    }
    return { declared, concluded };
  }

  #addDependencies(dependency: Placed): void {
    const ref = this.#values.text(dependency, 'ref');
    this.#values.ignoreOthers(dependency.value, fields('ref dependsOn provides'), 'dependency.');
    if (ref === undefined) {
      this.#values.leaveOut(dependency.place, 'it has no ref and is left out');
      return;
    }
    const owner = this.#local(ref);
    const isKnown = this.#builder.entityOf(owner) !== undefined;
    const isOfOther = !isKnown && parseBomLink(owner) !== undefined;
    for (const [field, verb] of [
      ['dependsOn', 'DEPENDS_ON'],
      ['provides', 'PROVIDES'],
    ] as const) {
      const { texts, isWhole } = this.#values.texts(dependency, field);
      const place = `${dependency.place}.${field}`;
      if (!isWhole || (!isKnown && !isOfOther && texts.length > 0)) {
        const what = isKnown
          ? 'some references are no texts'
          : `there is no component with the reference ${ref.slice(0, 200)}`;
        const end = { owner: this.#builder.ownerOf(owner), end: 'from', verb } as const;
        this.#builder.addUnresolved({ ...end, reason: `${place}: ${what}` });
      }
      const isStated = isKnown || isOfOther;
      for (const text of isStated ? texts : [])
        this.#builder.linkBetween(owner, { verb, reference: this.#local(text), place });
    }
  }

  /** A link to the document itself is a reference in it. */
  #local(reference: string): string {
    const link = parseBomLink(reference);
    return link !== undefined && link.bill === this.#self ? link.reference : reference;
  }
}
