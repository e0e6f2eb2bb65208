import { FieldPath, isAbsent, isJsonObject, type JsonObject, kindOf } from '#graph/model';
import type { DomainError } from '#platform/foundation';

/**
 * An object of a document, with its place for messages. What is absent is empty; a value of another kind than
 * expected is refused with its place, since half of a statement could be taken for the whole.
 */
export class DocumentValue {
  readonly value: JsonObject;
  readonly place: string;

  constructor(value: JsonObject, place: string) {
    this.value = value;
    this.place = place;
  }

  /** The root of a document; throws INVALID_REQUEST for anything but an object. */
  static of(value: unknown, place: string): DocumentValue {
    if (isJsonObject(value)) return new DocumentValue(value, place);
    throw new FieldPath(place).fault('', `expected an object, got ${kindOf(value)}`);
  }

  fault(name: string, message: string): DomainError {
    return new FieldPath(this.place).fault(name, message);
  }

  has(name: string): boolean {
    return !isAbsent(this.value[name]);
  }

  object(name: string): DocumentValue {
    const found = this.value[name];
    if (isAbsent(found)) return new DocumentValue({}, `${this.place}.${name}`);
    if (isJsonObject(found)) return new DocumentValue(found, `${this.place}.${name}`);
    throw this.fault(name, `expected an object, got ${kindOf(found)}`);
  }

  /** The object at the end of several names. */
  at(...names: readonly string[]): DocumentValue {
    return names.reduce<DocumentValue>((value, name) => value.object(name), this);
  }

  objects(name: string): readonly DocumentValue[] {
    return this.#list(name).map((item, index) => {
      if (isJsonObject(item)) return new DocumentValue(item, `${this.place}.${name}[${index}]`);
      throw this.fault(`${name}[${index}]`, `expected an object, got ${kindOf(item)}`);
    });
  }

  /** A list that the format always has, if only as null: without it, the document is another one. */
  requiredObjects(name: string): readonly DocumentValue[] {
    if (name in this.value) return this.objects(name);
    throw this.fault(name, 'expected a list, got nothing');
  }

  /** A text; undefined if it is absent or empty. */
  text(name: string): string | undefined {
    const found = this.value[name];
    if (isAbsent(found) || found === '') return undefined;
    if (typeof found === 'string') return found;
    throw this.fault(name, `expected a text, got ${kindOf(found)}`);
  }

  /** A text that must be there. */
  required(name: string): string {
    const found = this.text(name);
    if (found !== undefined) return found;
    throw this.fault(name, 'expected a text, got nothing');
  }

  texts(name: string): readonly string[] {
    return this.#list(name).map((item, index) => {
      if (typeof item === 'string') return item;
      throw this.fault(`${name}[${index}]`, `expected a text, got ${kindOf(item)}`);
    });
  }

  number(name: string): number | undefined {
    const found = this.value[name];
    if (isAbsent(found)) return undefined;
    if (typeof found === 'number' && Number.isFinite(found)) return found;
    throw this.fault(name, `expected a number, got ${kindOf(found)}`);
  }

  flag(name: string): boolean | undefined {
    const found = this.value[name];
    if (isAbsent(found)) return undefined;
    if (typeof found === 'boolean') return found;
    throw this.fault(name, `expected true or false, got ${kindOf(found)}`);
  }

  /** All fields, which are texts, such as labels. */
  textFields(): ReadonlyMap<string, string> {
    const names = Object.keys(this.value).filter((name) => this.has(name));
    return new Map(names.map((name) => [name, this.text(name) ?? '']));
  }

  #list(name: string): readonly unknown[] {
    const found = this.value[name];
    if (isAbsent(found)) return [];
    if (Array.isArray(found)) return found;
    throw this.fault(name, `expected a list, got ${kindOf(found)}`);
  }
}
