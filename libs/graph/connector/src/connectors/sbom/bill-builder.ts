import { createProperties, type Properties, type PropertyValue } from '#graph/model';
import type { EntityDraft, LostRelationship, RelationshipDraft } from '../../run/step.ts';
import type { ComponentName } from './component-name.ts';

/** The content of a bill of materials. */
export interface Bill {
  readonly entities: readonly EntityDraft[];
  readonly relationships: readonly RelationshipDraft[];
  /** References to components missing from the document. */
  readonly lost: readonly LostRelationship[];
}

export interface Component {
  readonly name: ComponentName;
  readonly isSubject: boolean;
  readonly properties: Readonly<Record<string, unknown>>;
  /** Single licences. */
  readonly licences: Iterable<string>;
}

type End = RelationshipDraft['from'];

/** Collects the content of a document of any format: of equal entities and relationships, the last wins. */
export class BillBuilder {
  readonly #referenceTo: string;
  readonly #byReference = new Map<string, ComponentName>();
  readonly #entities = new Map<string, EntityDraft>();
  readonly #relationships = new Map<string, RelationshipDraft>();
  readonly #lost: LostRelationship[] = [];

  /** The term for a reference in the format, as in `component with the reference`. */
  constructor(referenceTo: string) {
    this.#referenceTo = referenceTo;
  }

  get bill(): Bill {
    return {
      entities: [...this.#entities.values()],
      relationships: [...this.#relationships.values()],
      lost: this.#lost,
    };
  }

  addComponent(reference: string, { name, isSubject, properties, licences }: Component): void {
    this.#byReference.set(reference, name);
    this.addEntity({ ...endOf(name), class: isSubject ? 'Project' : 'Package', properties });
    for (const key of new Set(licences)) {
      const licence = { type: 'license', key };
      this.addEntity({ ...licence, class: 'License', properties: { name: key } });
      this.relate(name, 'LICENSED_UNDER', licence);
    }
  }

  addEntity(entity: EntityDraft): void {
    this.#entities.set(`${entity.type} ${entity.key}`, entity);
  }

  /** Records a relationship as unresolved if the document lacks its end. */
  find(reference: string, verb: string): ComponentName | undefined {
    const name = this.#byReference.get(reference);
    if (name === undefined)
      this.#lost.push({ verb, reason: `there is no ${this.#referenceTo} ${reference}` });
    return name;
  }

  relate(from: End, verb: string, to: End, properties: Readonly<Record<string, unknown>> = {}): void {
    const draft = { from: endOf(from), verb, to: endOf(to) };
    this.#relationships.set(JSON.stringify(draft), { ...draft, properties });
  }
}

function endOf({ type, key }: End): End {
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
