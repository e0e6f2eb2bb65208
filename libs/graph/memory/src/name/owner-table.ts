/** Sets of connector ids, interned: a few sets own almost all records. Numbers never change. */
export class OwnerTable {
  readonly sets: (readonly string[])[] = [];
  readonly #byKey = new Map<string, number>();
  /** Cache by frozen list: most records share a few. */
  readonly #byList = new WeakMap<readonly string[], number>();
  #lastSet: readonly string[] | undefined;
  #lastNumber = 0;

  constructor(sets: readonly (readonly string[])[] = []) {
    for (const set of sets) this.intern(set);
  }

  intern(owners: readonly string[]): number {
    if (owners === this.#lastSet) return this.#lastNumber;
    const number = this.#byList.get(owners) ?? this.#intern(owners);
    const isFrozen = Object.isFrozen(owners);
    if (isFrozen) this.#byList.set(owners, number);
    this.#lastSet = isFrozen ? owners : undefined;
    this.#lastNumber = number;
    return number;
  }

  #intern(owners: readonly string[]): number {
    const set = owners.toSorted();
    const key = JSON.stringify(set);
    let number = this.#byKey.get(key);
    if (number === undefined) {
      number = this.sets.push(Object.freeze(set)) - 1;
      this.#byKey.set(key, number);
    }
    return number;
  }

  get(number: number): readonly string[] {
    return this.sets[number] ?? [];
  }

  /** A flag for each set: whether it contains the connector. */
  holding(connectorId: string): Uint8Array {
    return Uint8Array.from(this.sets, (set) => (set.includes(connectorId) ? 1 : 0));
  }
}
