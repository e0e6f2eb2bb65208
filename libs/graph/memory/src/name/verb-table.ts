/** Verbs as written, by number, grouped without regard to case. Numbers never change. */
export class VerbTable {
  readonly written: string[] = [];
  /** Group of each written verb. */
  readonly groups: number[] = [];
  /** Upper-case name of each group. */
  readonly groupNames: string[] = [];
  readonly #byName = new Map<string, number>();
  readonly #groupByName = new Map<string, number>();

  constructor(written: readonly string[] = []) {
    for (const verb of written) this.intern(verb);
  }

  intern(verb: string): number {
    const known = this.#byName.get(verb);
    if (known !== undefined) return known;
    const number = this.written.push(verb) - 1;
    this.#byName.set(verb, number);
    this.groups.push(this.#internGroup(verb.toUpperCase()));
    return number;
  }

  /** Returns the number of the verb in any case of letters; −1 if it is unknown. */
  group(verb: string): number {
    return this.#groupByName.get(verb) ?? this.#groupByName.get(verb.toUpperCase()) ?? -1;
  }

  /** As written, of the verb in any case of letters. */
  spellings(verb: string): readonly string[] {
    const group = this.group(verb);
    return this.written.filter((_, number) => this.groups[number] === group);
  }

  #internGroup(name: string): number {
    const known = this.#groupByName.get(name);
    if (known !== undefined) return known;
    const group = this.groupNames.push(name) - 1;
    this.#groupByName.set(name, group);
    return group;
  }
}
