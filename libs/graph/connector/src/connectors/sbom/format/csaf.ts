/**
 * CSAF 2.0 advisories (VEX and others): the products of the document's tree, and how each vulnerability
 * affects them. A product with a package URL is that package, as in bills; another is a component by its
 * name.
 */
import { FieldPath, isJsonObject, type JsonObject } from '#graph/model';
import { type Bill, BillBuilder } from '../bill-builder.ts';
import { BillValues, type Placed } from '../bill-values.ts';
import { componentName } from '../component-name.ts';
import { vulnerabilityNames } from '../vulnerability-names.ts';
import { type Rating, type Statement, Vulnerabilities } from '../vulnerabilities.ts';

const fields = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const KNOWN = {
  document: fields('$schema document product_tree vulnerabilities'),
  tree: fields('branches full_product_names relationships product_groups'),
  vulnerability: fields('cve ids title notes scores product_status flags'),
};
/** The states of CycloneDX, in which all formats are read. */
const STATES: ReadonlyMap<string, string> = new Map([
  ['known_affected', 'exploitable'],
  ['first_affected', 'exploitable'],
  ['last_affected', 'exploitable'],
  ['under_investigation', 'in_triage'],
  ['fixed', 'resolved'],
  ['first_fixed', 'resolved'],
  ['known_not_affected', 'not_affected'],
]);

/** Throws INVALID_REQUEST for another version. */
export function readCsaf(document: JsonObject): Bill {
  return new CsafReader(document).read();
}

class CsafReader {
  readonly #root: Placed;
  readonly #values = new BillValues();
  readonly #builder: BillBuilder;
  /** The products of each group. */
  readonly #groups = new Map<string, readonly string[]>();
  /** Package URLs by product. */
  readonly #purls = new Map<string, string>();

  constructor(document: JsonObject) {
    this.#root = { value: document, place: '' };
    this.#builder = new BillBuilder(this.#values, {
      referenceTo: 'product with the id',
      isExternal: () => false,
    });
  }

  read(): Bill {
    const values = this.#values;
    values.ignoreOthers(this.#root.value, KNOWN.document, '');
    const about = values.object(this.#root, 'document');
    if (about?.value['csaf_version'] !== '2.0')
      throw new FieldPath('document').fault('csaf_version', 'expected 2.0');
    const tree = values.object(this.#root, 'product_tree');
    if (tree !== undefined) this.#readTree({ ...tree, place: 'product_tree' });
    const vulnerabilities = new Vulnerabilities(this.#builder);
    for (const each of values.topList(this.#root.value, 'vulnerabilities'))
      this.#addVulnerability(each, vulnerabilities);
    vulnerabilities.emit();
    return this.#builder.finish();
  }

  #readTree(tree: Placed): void {
    const values = this.#values;
    values.ignoreOthers(tree.value, KNOWN.tree, 'product_tree.');
    for (const each of values.list(tree, 'full_product_names')) this.#addProduct(each);
    // Branches nest to a depth chosen by the sender: uses a list instead of recursion.
    const open = values.list(tree, 'branches').toReversed();
    for (let branch = open.pop(); branch !== undefined; branch = open.pop()) {
      const product = values.object(branch, 'product');
      if (product !== undefined) this.#addProduct(product);
      for (const each of values.list(branch, 'branches').toReversed()) open.push(each);
    }
    for (const each of values.list(tree, 'relationships')) this.#addRelationship(each);
    for (const each of values.list(tree, 'product_groups')) {
      const id = values.text(each, 'group_id');
      if (id !== undefined) this.#groups.set(id, values.texts(each, 'product_ids').texts);
    }
  }

  /** Returns the id. `ofPart` is the package URL of the product that this one is as a part of another. */
  #addProduct(product: Placed, ofPart?: string): string | undefined {
    const values = this.#values;
    const id = values.text(product, 'product_id');
    const helper = values.object(product, 'product_identification_helper');
    const purl = (helper && values.text(helper, 'purl')) ?? ofPart;
    const name = componentName({ purl, plainName: values.text(product, 'name'), isSubject: false });
    if (id === undefined || name === undefined) {
      values.leaveOut(product.place, 'it has no id or no name and is left out');
      return undefined;
    }
    const properties = {
      name: name.name,
      version: name.version,
      purl,
      cpe: helper && values.text(helper, 'cpe'),
    };
    const licences = { declared: [], concluded: [] };
    if (purl !== undefined) this.#purls.set(id, purl);
    this.#builder.addComponent(id, { name, class: 'Package', properties, licences }, product.place);
    return id;
  }

  /** A product that is a part of another is a product with an id of its own. */
  #addRelationship(relationship: Placed): void {
    const values = this.#values;
    const part = values.text(relationship, 'product_reference');
    const whole = values.text(relationship, 'relates_to_product_reference');
    const category = values.text(relationship, 'category') ?? 'default_component_of';
    const product = values.object(relationship, 'full_product_name');
    const id = product && this.#addProduct(product, this.#purls.get(part ?? ''));
    const owner = id === undefined ? undefined : this.#builder.entityOf(id);
    if (owner === undefined || whole === undefined || part === undefined) {
      const expected = 'a full_product_name, a product_reference and a relates_to_product_reference';
      values.leaveOut(relationship.place, `expected ${expected}`);
      return;
    }
    const { place } = relationship;
    const verb = category.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
    this.#builder.link({ owner, end: 'from', verb, reference: whole, place });
  }

  #addVulnerability(item: Placed, vulnerabilities: Vulnerabilities): void {
    const values = this.#values;
    values.ignoreOthers(item.value, KNOWN.vulnerability, 'vulnerability.');
    const ids = values.list(item, 'ids').flatMap((each) => values.text(each, 'text') ?? []);
    const id = values.text(item, 'cve') ?? ids[0] ?? values.text(item, 'title');
    if (id === undefined) {
      values.leaveOut(item.place, 'it has neither a CVE nor an id and is left out');
      return;
    }
    const notes = values.list(item, 'notes');
    const note = notes.find((each) => values.text(each, 'category') === 'description');
    values.ignore('vulnerability.notes', notes.length - (note === undefined ? 0 : 1));
    const description = note && values.text(note, 'text');
    const statements = this.#statements(item);
    const { name, aliases } = vulnerabilityNames(id, ids);
    vulnerabilities.add({ name, aliases, description, ratings: this.#ratings(item), statements });
  }

  #ratings(item: Placed): readonly Rating[] {
    return this.#values.list(item, 'scores').flatMap((score) =>
      ['cvss_v3', 'cvss_v2'].flatMap((field) => {
        const cvss = this.#values.object(score, field);
        if (cvss === undefined) return [];
        const newest = cvss.value['version'] === '3.1' ? 'CVSSv31' : 'CVSSv3';
        return [
          {
            method: field === 'cvss_v2' ? 'CVSSv2' : newest,
            score: this.#values.number(cvss, 'baseScore'),
            severity: this.#values.text(cvss, 'baseSeverity')?.toLowerCase(),
          },
        ];
      }),
    );
  }

  #statements(item: Placed): readonly Statement[] {
    const status = this.#values.object(item, 'product_status');
    if (status === undefined) return [];
    const justifications = this.#justifications(item);
    return Object.keys(status.value).flatMap((field) => {
      const state = STATES.get(field);
      const { texts } = this.#values.texts(status, field);
      if (state === undefined) this.#values.ignore(`vulnerability.product_status.${field}`, texts.length);
      if (state === undefined) return [];
      const place = `${status.place}.${field}`;
      return texts.map((reference) => ({
        reference,
        place,
        state,
        justification: state === 'not_affected' ? justifications.get(reference) : undefined,
      }));
    });
  }

  /** The label of the flags, by product. */
  #justifications(item: Placed): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const flag of this.#values.list(item, 'flags')) {
      const label = this.#values.text(flag, 'label');
      const groups = this.#values.texts(flag, 'group_ids').texts;
      const ofGroups = groups.flatMap((group) => this.#groups.get(group) ?? []);
      const ids = [...this.#values.texts(flag, 'product_ids').texts, ...ofGroups];
      if (label !== undefined) for (const id of ids) found.set(id, label);
    }
    return found;
  }
}

/** Whether a JSON document says that it is one. */
export function isCsaf({ document }: JsonObject): boolean {
  return isJsonObject(document) && 'csaf_version' in document;
}
