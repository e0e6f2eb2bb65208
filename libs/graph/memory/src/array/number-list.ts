/** Growing lists of numbers for the *hot path*: read `data` below `length` directly. */
const INITIAL_LENGTH = 64;

export class Uint32List {
  length = 0;
  data: Uint32Array = new Uint32Array(INITIAL_LENGTH);

  /** Uses the array without copying it. */
  static of(numbers: Uint32Array): Uint32List {
    const list = new Uint32List();
    list.data = numbers;
    list.length = numbers.length;
    return list;
  }

  push(value: number): number {
    if (this.length === this.data.length) this.#grow();
    this.data[this.length] = value;
    return this.length++;
  }

  /** A copy of the numbers. */
  toArray(): Uint32Array<ArrayBuffer> {
    return Uint32Array.from(this.data.subarray(0, this.length));
  }

  #grow(): void {
    const grown = new Uint32Array(Math.max(INITIAL_LENGTH, this.data.length * 2));
    grown.set(this.data);
    this.data = grown;
  }
}

export class Float64List {
  length = 0;
  data: Float64Array = new Float64Array(INITIAL_LENGTH);

  push(value: number): number {
    if (this.length === this.data.length) {
      const grown = new Float64Array(Math.max(INITIAL_LENGTH, this.data.length * 2));
      grown.set(this.data);
      this.data = grown;
    }
    this.data[this.length] = value;
    return this.length++;
  }
}
