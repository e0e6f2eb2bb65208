import { createProperties, type EntityKey, type Properties, type PropertyValue } from '#graph/model';
import type { EntityDraft, LooseReference, RelationshipDraft } from '../../run/step.ts';
import type { BillValues } from './bill-values.ts';
import { type ComponentName, componentName } from './component-name.ts';
import { fittingKey } from '../document/fitting-key.ts';
import { imageOfUrl } from '../image/bill-image.ts';
import { imageRecords } from '../image/container-image.ts';
import { joinedLicences, licencesIn } from './licence.ts';
import type { DocumentLink, LinkedDocument } from './document-link.ts';

export type Facts = Readonly<Record<string, PropertyValue | undefined>>;

/** The content of a bill of materials. */
export interface Bill {
  readonly entities: readonly EntityDraft[];
  readonly relationships: readonly RelationshipDraft[];
  /** References to what the document should have and has not. */
  readonly unresolved: readonly LooseReference[];
  /** References to other documents. */
  readonly external: readonly ExternalReference[];
  /** Number of values that are not read, by kind. */
  readonly ignored: ReadonlyMap<string, number>;
  readonly warnings: readonly string[];
  /** Whether no value was left out because it was not understood. */
  readonly isWhole: boolean;
  /** What others can link to. */
  readonly documents?: readonly LinkedDocument[];
}

/** A reference to another document: a relationship, if its target is found. */
export interface ExternalReference extends LooseReference {
  readonly reference: string;
  readonly properties: Facts;
  /** Where the target is, if the reference says it. */
  readonly link?: DocumentLink | undefined;
}

/** The licence texts of a component, each an expression or a name. */
export interface LicenceTexts {
  /** Declared, or without a remark. */
  readonly declared: readonly string[];
  readonly concluded: readonly string[];
}

export interface Component {
  readonly name: ComponentName;
  readonly class: string;
  readonly properties: Facts;
  readonly licences: LicenceTexts;
}

/** A relationship whose other end is a reference in the document. */
export interface Link {
  readonly owner: EntityKey;
  /** The end at which the owner is. */
  readonly end: 'from' | 'to';
  readonly verb: string;
  readonly reference: string;
  readonly place: string;
  readonly properties?: Facts;
}

export interface BillTerms {
  /** The words for a reference in the format, as in `component with the reference`. */
  readonly referenceTo: string;
  /** Whether a reference leads to another document. */
  readonly isExternal: (reference: string) => boolean;
  /** The package URL that such a reference states. */
  readonly purlOf?: (reference: string) => string | undefined;
  /** Where in another document the element of such a reference is. */
  readonly linkOf?: (reference: string) => DocumentLink | undefined;
}

interface MergedComponent {
  readonly name: ComponentName;
  readonly class: string;
  properties: Facts;
  readonly declared: Set<string>;
  readonly concluded: Set<string>;
}

/**
 * Collects the content of a document of any format. Components with one key are one entity: the first stated
 * value of each property, and all licences and relationships.
 */
export class BillBuilder {
  readonly #terms: BillTerms;
  readonly #values: BillValues;
  readonly #byReference = new Map<string, EntityKey>();
  readonly #components = new Map<string, MergedComponent>();
  readonly #entities = new Map<string, EntityDraft>();
  readonly #relationships = new Map<string, RelationshipDraft>();
  readonly #unresolved: LooseReference[] = [];
  readonly #external: ExternalReference[] = [];

  constructor(values: BillValues, terms: BillTerms) {
    this.#values = values;
    this.#terms = terms;
  }

  finish(): Bill {
    for (const component of this.#components.values()) this.#finishComponent(component);
    return {
      entities: [...this.#entities.values()],
      relationships: [...this.#relationships.values()],
      unresolved: this.#unresolved,
      external: this.#external,
      ignored: this.#values.ignored,
      warnings: this.#values.warnings,
      isWhole: this.#values.isWhole,
    };
  }

  addComponent(reference: string | undefined, component: Component, place: string): void {
    const { name, properties, licences } = component;
    if (name.isCut)
      this.#values.warn(
        place,
        `the key of ${name.name.slice(0, 40)} was cut to ${name.key.length} characters`,
      );
    this.#refer(reference ?? name.key, name, place);
    const identity = identityOf(name);
    const known = this.#components.get(identity);
    if (known !== undefined) known.properties = mergedProperties(known.properties, properties);
    const merged = known ?? { ...component, declared: new Set(), concluded: new Set() };
    for (const text of licences.declared) merged.declared.add(text);
    for (const text of licences.concluded) merged.concluded.add(text);
    const all = [...licences.declared, ...licences.concluded].flatMap(licencesIn);
    for (const text of all.filter((each) => fittingKey(each) !== each))
      this.#values.warn(place, `a licence of ${name.key.slice(0, 40)} was cut: ${text.slice(0, 40)}…`);
    this.#components.set(identity, merged);
    if (known === undefined && typeof properties['purl'] === 'string')
      this.#addImageOf(name, properties['purl']);
  }

  /** A package that is an image: of one without its repository, the digest may be known elsewhere. */
  #addImageOf(name: ComponentName, purl: string): void {
    const { names, digest } = imageOfUrl(purl) ?? { names: [], digest: undefined };
    const image = this.addImage(names);
    if (image !== undefined) this.relate(image, 'MAPS_TO', name);
    else if (digest !== undefined) {
      const reason = `${purl.slice(0, 200)}: the image may be that of another source`;
      const end = { owner: endOf(name), end: 'to', verb: 'MAPS_TO' } as const;
      this.#external.push({ ...end, reason, reference: purl, properties: {} });
    }
  }

  addEntity(entity: EntityDraft): void {
    const place = `${entity.type} ${entity.key.slice(0, 200)}`;
    const fitted = Object.entries(entity.properties ?? {}).map(
      ([name, value]) =>
        [name, typeof value === 'string' ? this.#values.fitting(value, `${place}, ${name}`) : value] as const,
    );
    this.#entities.set(identityOf(entity), { ...entity, properties: Object.fromEntries(fitted) });
  }

  /** A reference that several components have leads to the first of them. */
  #refer(reference: string, name: ComponentName, place: string): void {
    const known = this.#byReference.get(reference);
    if (known === undefined) this.#byReference.set(reference, endOf(name));
    else if (identityOf(known) !== identityOf(name))
      this.#values.warn(place, `another ${this.#terms.referenceTo} ${reference} came before, and is used`);
  }

  entityOf(reference: string): EntityKey | undefined {
    return this.#byReference.get(reference);
  }

  /** The entity of a reference; for an unknown one, the entity that it would be. */
  ownerOf(reference: string): EntityKey {
    return this.entityOf(reference) ?? { type: 'component', key: fittingKey(reference) };
  }

  /** Relates the owner with the referenced entity, or counts the reference as unresolved or external. */
  link(link: Link): void {
    const { owner, reference, properties = {} } = link;
    const found = this.entityOf(reference);
    if (found !== undefined && identityOf(found) === identityOf(owner))
      this.#values.ignore('relationships of a component with itself');
    else if (found !== undefined) this.#relateEnd(link, found);
    else if (this.#terms.isExternal(reference)) this.#addExternal({ ...link, properties });
    else this.#unresolved.push(this.#loose(link, 'does not exist'));
  }

  /**
   * Relates two references. If only the second one is known, the statement is that of an unknown or external
   * one; that of two others is counted.
   */
  linkBetween(owner: string, link: Omit<Link, 'owner' | 'end'>): void {
    const { reference, verb, place } = link;
    const known = this.entityOf(owner);
    const other = this.entityOf(reference);
    const isExternal = known === undefined && this.#terms.isExternal(owner);
    if (known !== undefined) this.link({ ...link, owner: known, end: 'from' });
    else if (isExternal && other !== undefined)
      this.link({ ...link, owner: other, end: 'to', reference: owner });
    else if (isExternal && this.#terms.isExternal(reference))
      this.#values.ignore('relationships between other documents');
    else {
      const reason = `${place}: the ${this.#terms.referenceTo} ${owner.slice(0, 200)} does not exist`;
      this.addUnresolved({ owner: this.ownerOf(owner), end: 'from', verb, reason });
    }
  }

  #relateEnd({ owner, end, verb, properties }: Link, other: EntityKey): void {
    if (end === 'from') this.relate(owner, verb, other, properties);
    else this.relate(other, verb, owner, properties);
  }

  /** What another document calls by its package URL is known by that. */
  #addExternal(link: Link & { readonly properties: Facts }): void {
    const { reference, properties } = link;
    const loose = this.#loose(link, 'is in another document');
    this.#external.push({ ...loose, reference, properties, link: this.#terms.linkOf?.(reference) });
    const purl = this.#terms.purlOf?.(reference);
    const target = componentName({ purl, plainName: undefined, isSubject: false });
    if (target !== undefined) this.#relateEnd(link, target);
  }

  /** The image with these names; undefined if none of them names one. */
  addImage(names: readonly string[], facts: Facts = {}): EntityKey | undefined {
    const records = imageRecords(names, facts);
    if (records === undefined) return undefined;
    for (const entity of records.entities) this.addEntity(entity);
    for (const { from, verb, to } of records.relationships) this.relate(from, verb, to);
    return records.image;
  }

  /** A value that should have been a reference. */
  addUnresolved(reference: LooseReference): void {
    this.#unresolved.push(reference);
  }

  relate(from: EntityKey, verb: string, to: EntityKey, properties: Link['properties'] = {}): void {
    const draft = { from: endOf(from), verb, to: endOf(to) };
    const identity = JSON.stringify(draft);
    const known = this.#relationships.get(identity)?.properties;
    const merged = known === undefined ? properties : commonProperties([known as Facts, properties]);
    this.#relationships.set(identity, { ...draft, properties: merged });
  }

  #loose({ owner, end, verb, reference, place }: Link, what: string): LooseReference {
    const reason = `${place}: the ${this.#terms.referenceTo} ${reference.slice(0, 200)} ${what}`;
    return { owner: endOf(owner), end, verb, reason };
  }

  #finishComponent({ name, class: className, properties, declared, concluded }: MergedComponent): void {
    const license = joinedLicences(declared) ?? joinedLicences(concluded);
    const other = joinedLicences(concluded);
    this.addEntity({
      ...endOf(name),
      class: className,
      properties: { ...properties, license, license_concluded: other === license ? undefined : other },
    });
    for (const text of declared) this.#relateLicences(name, text);
    for (const text of concluded) this.#relateLicences(name, text, { acknowledgement: 'concluded' });
  }

  #relateLicences(name: EntityKey, text: string, properties: Link['properties'] = {}): void {
    for (const licence of licencesIn(text)) {
      const key = fittingKey(licence);
      const end = { type: 'license', key };
      this.addEntity({ ...end, class: 'License', properties: { name: key } });
      this.relate(name, 'LICENSED_UNDER', end, properties);
    }
  }
}

/** Copies of one component: what the first lacks. Without a scope, a component is required. */
function mergedProperties(
  known: Component['properties'],
  other: Component['properties'],
): Component['properties'] {
  const merged = { ...other, ...knownProperties(known) };
  return { ...merged, scope: scopeOf([known['scope'], other['scope']]) };
}

/** Of several statements of one relationship: what all of them have; different values as a sorted list. */
function commonProperties([one, other]: readonly [Facts, Facts]): Facts {
  const names = Object.keys(one).filter((name) => one[name] !== undefined && other[name] !== undefined);
  return Object.fromEntries(
    names.map((name) => {
      const all = new Set([one[name], other[name]].flat().map(String));
      return [name, all.size === 1 ? one[name] : [...all].sort()];
    }),
  );
}

function scopeOf(scopes: readonly (PropertyValue | undefined)[]): PropertyValue | undefined {
  if (scopes.includes(undefined)) return undefined;
  return ['required', 'optional', 'excluded'].find((scope) => scopes.includes(scope)) ?? scopes[0];
}

function identityOf({ type, key }: EntityKey): string {
  return `${type} ${key}`;
}

function endOf({ type, key }: EntityKey): EntityKey {
  return { type, key };
}

/** The known facts as properties. */
export function knownProperties(facts: Readonly<Record<string, PropertyValue | undefined>>): Properties {
  const properties = createProperties();
  for (const [name, value] of Object.entries(facts)) {
    if (value !== undefined) properties[name] = value;
  }
  return properties;
}
