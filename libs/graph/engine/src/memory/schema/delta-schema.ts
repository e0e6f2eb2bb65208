/**
 * The names and kinds of values in a delta's contents, each of which is read once. Overwritten and deleted
 * contents stay until the next seal: these are hints.
 */
import type { EntityInput, ValueKind } from '#graph/model';
import { kindOf } from '../column/field.ts';
import type { Delta } from '../delta/delta.ts';

type Kinds = Map<string, Set<ValueKind>>;

interface NamedKinds {
  readonly type: string;
  readonly class: string;
  readonly kinds: Kinds;
}

export class DeltaSchema {
  readonly #delta: Delta;
  readonly #groups = new Map<string, NamedKinds>();
  #contents = 1;

  constructor(delta: Delta) {
    this.#delta = delta;
  }

  /** The kinds of values by property, for each type and class in selections. */
  kinds(names: readonly string[] | '*'): Kinds[] {
    this.#catchUp();
    const all = [...this.#groups.values()];
    const named = all.filter(
      (item) => names === '*' || names.includes(item.type) || names.includes(item.class),
    );
    return named.map(({ kinds }) => kinds);
  }

  /** Types and classes. */
  names(): string[] {
    this.#catchUp();
    return [...this.#groups.values()].flatMap((item) => [item.type, item.class]);
  }

  #catchUp(): void {
    for (; this.#contents < this.#delta.heads.length; this.#contents++)
      this.#add(this.#delta.input(this.#contents));
  }

  #add(input: EntityInput): void {
    const key = `${input.type}\0${input.class}`;
    let group = this.#groups.get(key);
    if (group === undefined)
      this.#groups.set(key, (group = { type: input.type, class: input.class, kinds: new Map() }));
    for (const name of Object.keys(input.properties)) {
      let kinds = group.kinds.get(name);
      if (kinds === undefined) group.kinds.set(name, (kinds = new Set()));
      const kind = kindOf(input.properties[name]);
      if (kind !== undefined) kinds.add(kind);
    }
  }
}
