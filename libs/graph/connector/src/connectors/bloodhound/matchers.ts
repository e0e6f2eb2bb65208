/** Finds the objects that edges know by their values: a name, or properties. */
import { labelsOf } from './bloodhound-kinds.ts';
import type { Match, StatedObject } from './statement.ts';

type Outcome = { readonly id: string } | { readonly why: string };

interface Wanted {
  readonly match: Match;
  /** The ids of the first two objects. */
  readonly found: Set<string>;
}

export class Matchers {
  readonly #wanted = new Map<string, Wanted>();
  /** By the first value, so that an object is compared with few. */
  readonly #byValue = new Map<string, Wanted[]>();
  readonly #names = new Set<string>();

  want(match: Match): void {
    const identity = identityOf(match);
    const [first] = match.values;
    if (first === undefined || this.#wanted.has(identity)) return;
    const wanted: Wanted = { match, found: new Set() };
    this.#wanted.set(identity, wanted);
    this.#names.add(first[0]);
    const value = comparable(first[0], first[1]);
    this.#byValue.set(value, [...(this.#byValue.get(value) ?? []), wanted]);
  }

  see(object: StatedObject): void {
    if (this.#names.size === 0) return;
    const { labels = labelsOf(object.kind) } = object;
    const valueOf = (name: string): unknown => (name === 'objectid' ? object.id : object.properties[name]);
    for (const name of this.#names) {
      for (const wanted of this.#byValue.get(comparable(name, valueOf(name))) ?? []) {
        const { kind, values } = wanted.match;
        if (kind !== undefined && kind !== object.kind && !labels.includes(kind)) continue;
        if (!values.every(([each, value]) => comparable(each, valueOf(each)) === comparable(each, value)))
          continue;
        if (wanted.found.size < 2) wanted.found.add(object.id);
      }
    }
  }

  find(match: Match): Outcome {
    const found = this.#wanted.get(identityOf(match))?.found ?? [];
    const [id, other] = found;
    const values = match.values.map(([name, value]) => `${name} ${String(value)}`).join(', ');
    const what = match.kind === undefined ? values : `${match.kind} with ${values}`;
    if (id === undefined) return { why: `no object has ${what}` };
    return other === undefined ? { id } : { why: `several objects have ${what}` };
  }
}

/** Names and ids are compared in upper case, other values with their kind. */
function comparable(name: string, value: unknown): string {
  const isUpper = typeof value === 'string' && (name === 'name' || name === 'objectid');
  return `${name}\0${typeof value}\0${isUpper ? value.toUpperCase() : String(value)}`;
}

function identityOf({ kind = '', values }: Match): string {
  return [kind, ...values.map(([name, value]) => comparable(name, value))].join('\0\0');
}
