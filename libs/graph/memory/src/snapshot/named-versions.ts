/**
 * Changed versions by the names of their nodes, in the base or now, so that a selection looks at those of its
 * names alone: without a filter, at those that have other names than their rows. *Hot path*, like
 * {@link ValueChanges}.
 */
import type { Steps } from '#platform/foundation';
import { Uint32List } from '../array/number-list.ts';
import { type Named, namesOf } from '../column/labels-field.ts';
import type { View } from '../delta/view.ts';
import { type ChangedVersions, rowNames, versionNames } from './changed-versions.ts';

const VERSIONS_PER_STEP = 16;
const NONE = new Uint32Array(0);

/** Versions of one name. */
interface OfName {
  readonly changed: Uint32List;
  /** Those that the base's row did not have the same names as, or that only one of both shows. */
  readonly moved: Uint32List;
}

export class NamedVersions {
  readonly #byName: ReadonlyMap<string, OfName>;
  readonly #moved: Uint32Array;

  private constructor(byName: ReadonlyMap<string, OfName>, moved: Uint32Array) {
    this.#byName = byName;
    this.#moved = moved;
  }

  static *of(view: View, { versions, isInBase, isShown }: ChangedVersions): Steps<NamedVersions> {
    const byName = new Map<string, OfName>();
    const allMoved = new Uint32List();
    for (let at = 0; at < versions.length; at++) {
      const version = versions[at]!;
      const node = view.delta.nodes.item.data[version]!;
      const was = isInBase(node) ? rowNames(view, node) : undefined;
      const is = isShown(version) ? versionNames(view, version) : undefined;
      const isMoved = was === undefined || is === undefined || !haveSameNames(was, is);
      if (isMoved) allMoved.push(version);
      for (const name of allNames(was, isMoved ? is : undefined)) {
        let ofName = byName.get(name);
        if (ofName === undefined)
          byName.set(name, (ofName = { changed: new Uint32List(), moved: new Uint32List() }));
        ofName.changed.push(version);
        if (isMoved) ofName.moved.push(version);
      }
      if (at % VERSIONS_PER_STEP === VERSIONS_PER_STEP - 1) yield;
    }
    return new NamedVersions(byName, written(allMoved));
  }

  /** With one of the names, each once. */
  changed(names: readonly string[]): Uint32Array {
    return this.#with(names, 'changed');
  }

  moved(names: readonly string[] | '*'): Uint32Array {
    return names === '*' ? this.#moved : this.#with(names, 'moved');
  }

  #with(names: readonly string[], which: keyof OfName): Uint32Array {
    const lists = [...new Set(names)].flatMap((name) => this.#byName.get(name)?.[which] ?? []);
    const [only, ...others] = lists;
    if (only === undefined) return NONE;
    if (others.length === 0) return written(only);
    return Uint32Array.from(new Set(lists.flatMap((list) => [...written(list)])));
  }
}

function written(list: Uint32List): Uint32Array {
  return list.data.subarray(0, list.length);
}

function allNames(was: Named | undefined, is: Named | undefined): ReadonlySet<string> {
  const names = new Set(was === undefined ? [] : namesOf(was));
  if (is !== undefined) for (const name of namesOf(is)) names.add(name);
  return names;
}

function haveSameNames(a: Named, b: Named): boolean {
  return a.class === b.class && (a.labels ?? []).join('\0') === (b.labels ?? []).join('\0');
}
