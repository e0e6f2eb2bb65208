import { FieldPath, isAbsent, isJsonObject, type JsonObject, kindOf, MODEL_LIMITS } from '#graph/model';

/** A value with its place in the document, such as `components[3].licenses[0]`. */
export interface Placed {
  readonly value: JsonObject;
  readonly place: string;
}

/**
 * Reads the values of a bill: one that is not as expected is left out or cut with a warning that names its
 * place, and the rest is read. With a value left out, the bill is not whole: what it stood for is unknown.
 * Content that is not read is counted by kind.
 */
export class BillValues {
  readonly warnings: string[] = [];
  readonly ignored = new Map<string, number>();
  #isWhole = true;

  /** Whether nothing was left out because it was not understood. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Of a value that is read, in part at least. */
  warn(place: string, message: string): void {
    this.warnings.push(`${place}: ${message}`);
  }

  /** Of a value that is left out. */
  leaveOut(place: string, message: string): void {
    this.#isWhole = false;
    this.warn(place, message);
  }

  ignore(kind: string, count = 1): void {
    if (count > 0) this.ignored.set(kind, (this.ignored.get(kind) ?? 0) + count);
  }

  /** Counts the fields that are not read. */
  ignoreOthers(object: JsonObject, known: ReadonlySet<string>, kind: string): void {
    for (const [name, value] of Object.entries(object)) {
      if (known.has(name) || isAbsent(value) || value === '') continue;
      this.ignore(`${kind}${name}`, Array.isArray(value) ? value.length : 1);
    }
  }

  /** A list of objects of the document itself; absent is empty. Throws INVALID_REQUEST for no list. */
  topList(document: JsonObject, name: string): readonly Placed[] {
    const list = document[name];
    if (isAbsent(list)) return [];
    if (!Array.isArray(list)) throw new FieldPath().fault(name, `expected a list, got ${kindOf(list)}`);
    return this.#objects(list, name);
  }

  /** A list of objects in another value; absent is empty. */
  list({ value, place }: Placed, name: string): readonly Placed[] {
    const list = value[name];
    if (isAbsent(list)) return [];
    if (Array.isArray(list)) return this.#objects(list, `${place}.${name}`);
    this.leaveOut(`${place}.${name}`, `expected a list, got ${kindOf(list)}`);
    return [];
  }

  object({ value, place }: Placed, name: string): Placed | undefined {
    const found = value[name];
    if (isAbsent(found)) return undefined;
    if (isJsonObject(found)) return { value: found, place: `${place}.${name}` };
    this.leaveOut(`${place}.${name}`, `expected an object, got ${kindOf(found)}`);
    return undefined;
  }

  /** A text that fits into a property; undefined for none, and for an empty one. */
  text({ value, place }: Placed, name: string): string | undefined {
    const text = value[name];
    if (isAbsent(text) || text === '') return undefined;
    if (typeof text === 'string') return this.fitting(text, `${place}.${name}`);
    this.leaveOut(`${place}.${name}`, `expected a text, got ${kindOf(text)}`);
    return undefined;
  }

  number({ value, place }: Placed, name: string): number | undefined {
    const number = value[name];
    if (isAbsent(number)) return undefined;
    if (typeof number === 'number' && Number.isFinite(number)) return number;
    const got = typeof number === 'number' ? 'one out of range' : kindOf(number);
    this.leaveOut(`${place}.${name}`, `expected a number, got ${got}`);
    return undefined;
  }

  flag({ value, place }: Placed, name: string): boolean | undefined {
    const flag = value[name];
    if (isAbsent(flag)) return undefined;
    if (typeof flag === 'boolean') return flag;
    this.leaveOut(`${place}.${name}`, `expected true or false, got ${kindOf(flag)}`);
    return undefined;
  }

  /** The texts of a list; `isWhole` if all of its items are texts. */
  texts(
    { value, place }: Placed,
    name: string,
  ): { readonly texts: readonly string[]; readonly isWhole: boolean } {
    const list = value[name];
    if (isAbsent(list)) return { texts: [], isWhole: true };
    const items: readonly unknown[] = Array.isArray(list) ? list : [];
    if (!Array.isArray(list)) this.leaveOut(`${place}.${name}`, `expected a list, got ${kindOf(list)}`);
    const texts = items.filter((item) => typeof item === 'string' && item !== '');
    const others = items.length - texts.length;
    if (others > 0) this.leaveOut(`${place}.${name}`, `expected texts, got ${others} other values`);
    return { texts: texts as readonly string[], isWhole: Array.isArray(list) && others === 0 };
  }

  /** The texts of a list that fit into a property. */
  properties(from: Placed, name: string): readonly string[] {
    const place = `${from.place}.${name}`;
    const { texts } = this.texts(from, name);
    return this.atMost(texts, place).map((text) => this.fitting(text, place));
  }

  /** The first items, as many as a property can have. */
  atMost(items: readonly string[], place: string): readonly string[] {
    const max = MODEL_LIMITS.listItemsMax;
    if (items.length > max) this.warn(place, `cut to ${max} of ${items.length} items`);
    return items.slice(0, max);
  }

  #objects(list: readonly unknown[], place: string): readonly Placed[] {
    return list.flatMap((value, index) => {
      const at = `${place}[${index}]`;
      if (isJsonObject(value)) return [{ value, place: at }];
      this.leaveOut(at, `expected an object, got ${kindOf(value)}`);
      return [];
    });
  }

  /** The value as a property can have it: cut, and without lone surrogates. */
  fitting(text: string, place: string): string {
    const max = MODEL_LIMITS.propertyStringLengthMax;
    if (text.length > max) this.warn(place, `cut to ${max} of ${text.length} characters`);
    else if (!text.isWellFormed()) this.warn(place, 'replaced a lone surrogate');
    return text.slice(0, max).toWellFormed();
  }
}
