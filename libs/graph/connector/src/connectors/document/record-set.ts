import type { EntityKey, PropertyValue } from '#graph/model';
import type { EntityDraft, RelationshipDraft, StepContext } from '../../run/step.ts';

export type Facts = Readonly<Record<string, PropertyValue | undefined>>;

interface Record_ {
  readonly draft: EntityDraft;
  facts: Facts;
}

interface Link {
  readonly from: EntityKey;
  readonly verb: string;
  readonly to: EntityKey;
  facts: Facts;
}

/**
 * The records of a source in which several places speak of one thing: an entity has what the first place
 * says, and what it lacks from the others; of a relationship, different values are a list.
 */
export class RecordSet {
  readonly #entities = new Map<string, Record_>();
  readonly #links = new Map<string, Link>();

  /** Returns its key. */
  entity({ type, key }: EntityKey, className: string | undefined, facts: Facts = {}): EntityKey {
    const identity = `${type} ${key}`;
    const known = this.#entities.get(identity);
    if (known === undefined) this.#entities.set(identity, { draft: { type, key, class: className }, facts });
    else known.facts = { ...facts, ...said(known.facts) };
    return { type, key };
  }

  has({ type, key }: EntityKey): boolean {
    return this.#entities.has(`${type} ${key}`);
  }

  /** The entities so far. */
  *entities(): Iterable<EntityKey & { readonly facts: Facts }> {
    for (const { draft, facts } of this.#entities.values()) yield { type: draft.type, key: draft.key, facts };
  }

  relate(from: EntityKey, verb: string, to: EntityKey, facts: Facts = {}): void {
    const identity = JSON.stringify([from.type, from.key, verb, to.type, to.key]);
    const known = this.#links.get(identity);
    if (known === undefined) this.#links.set(identity, { from, verb, to, facts });
    else known.facts = united(known.facts, facts);
  }

  /** Adds drafts of other readers. */
  add(entities: readonly EntityDraft[], relationships: readonly RelationshipDraft[]): void {
    for (const { type, key, class: className, properties = {} } of entities)
      this.entity({ type, key }, className, properties as Facts);
    for (const { from, verb, to, properties = {} } of relationships)
      this.relate(from, verb, to, properties as Facts);
  }

  emit(context: Pick<StepContext<unknown>, 'emitAll'>): Promise<void> {
    return context.emitAll({ entities: this.#drafts(), relationships: this.#relationships() });
  }

  *#drafts(): Iterable<EntityDraft> {
    for (const { draft, facts } of this.#entities.values()) {
      const name = facts['name'];
      const shown = typeof name === 'string' && name !== '' ? { display_name: name } : {};
      yield { ...draft, ...shown, properties: said(facts) };
    }
  }

  *#relationships(): Iterable<RelationshipDraft> {
    for (const { from, verb, to, facts } of this.#links.values())
      yield { from, verb, to, properties: said(facts) };
  }
}

function said(facts: Facts): Facts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

function united(one: Facts, other: Facts): Facts {
  const merged: Record<string, PropertyValue | undefined> = { ...said(other), ...said(one) };
  for (const [name, value] of Object.entries(said(other))) {
    const known = one[name];
    if (known === undefined || known === value) continue;
    const all = new Set([known, value].flat().map(String));
    merged[name] = all.size === 1 ? known : [...all].sort();
  }
  return merged;
}
