/** A map of bounded size that evicts the oldest entry first. */
export class BoundedMap<Value> {
  readonly #values = new Map<string, Value>();
  readonly #sizeMax: number;

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: Value): void {
    const [first] = this.#values.keys();
    if (this.#values.size >= this.#sizeMax && first !== undefined) this.#values.delete(first);
    this.#values.set(key, value);
  }
}
