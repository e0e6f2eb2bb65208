import { isJsonObject, kindOf } from '#graph/model';
import type { YamlPath } from '#platform/config';
import { DomainError } from '#platform/foundation';
import type { RuleSource } from './rule-source.ts';

const TEXT_LENGTH_MAX = 65_536;

/** One value of a rule source, with its place. All refusals are POLICY_INVALID. */
export class RuleNode {
  readonly value: unknown;
  readonly #source: RuleSource;
  readonly #path: YamlPath;

  static root(source: RuleSource): RuleNode {
    return new RuleNode(source, [], source.value);
  }

  private constructor(source: RuleSource, path: YamlPath, value: unknown) {
    this.#source = source;
    this.#path = path;
    this.value = value;
  }

  /** Left out, or null. */
  get isAbsent(): boolean {
    return this.value === undefined || this.value === null;
  }

  get isText(): boolean {
    return typeof this.value === 'string';
  }

  fault(message: string): DomainError {
    return this.#source.fault(this.#path, message);
  }

  /** Refuses the value unless it is a map that has no other names than these. */
  map(known: readonly string[]): this {
    for (const child of this.children()) {
      const name = child.#path.at(-1);
      if (known.includes(String(name))) continue;
      throw this.#source.fault(
        child.#path,
        `unknown key ${JSON.stringify(name)}; known are ${known.join(', ')}`,
        'key',
      );
    }
    return this;
  }

  /** A value of this map; absent ones have the place of the map. */
  at(name: string): RuleNode {
    const value = isJsonObject(this.value) && Object.hasOwn(this.value, name) ? this.value[name] : undefined;
    return new RuleNode(this.#source, [...this.#path, name], value);
  }

  /** All values of this map, in order. */
  children(): readonly RuleNode[] {
    if (!isJsonObject(this.value)) throw this.#wrongKind('a map');
    return Object.keys(this.value).map((name) => this.at(name));
  }

  /** Names of this map. */
  names(): readonly string[] {
    return this.isAbsent ? [] : this.children().map((child) => String(child.#path.at(-1)));
  }

  /** Items of this list; none when it is absent. */
  items(lengthMax: number): readonly RuleNode[] {
    if (this.isAbsent) return [];
    if (!Array.isArray(this.value)) throw this.#wrongKind('a list');
    if (this.value.length > lengthMax) throw this.fault(`expected at most ${lengthMax} items`);
    return this.value.map((value, index) => new RuleNode(this.#source, [...this.#path, index], value));
  }

  text(lengthMax = TEXT_LENGTH_MAX): string {
    if (typeof this.value !== 'string') throw this.#wrongKind('a text');
    if (this.value.trim() === '') throw this.fault('expected a text, got an empty one');
    if (this.value.length > lengthMax) throw this.fault(`expected at most ${lengthMax} characters`);
    if (!this.value.isWellFormed() || this.value.includes('\0'))
      throw this.fault('expected well-formed text without NUL');
    return this.value;
  }

  optionalText(): string | undefined {
    return this.isAbsent ? undefined : this.text();
  }

  /** A text that may be empty, and is when it is absent. */
  prose(): string {
    return this.isAbsent || this.value === '' ? '' : this.text();
  }

  word<Word extends string>(words: readonly Word[]): Word {
    const found = words.find((word) => word === this.value);
    if (found === undefined) throw this.fault(`expected one of ${words.join(', ')}`);
    return found;
  }

  count(): number {
    if (typeof this.value === 'number' && Number.isSafeInteger(this.value) && this.value >= 0)
      return this.value;
    throw this.fault('expected a whole number from 0');
  }

  flag(fallback: boolean): boolean {
    if (this.isAbsent) return fallback;
    if (typeof this.value !== 'boolean') throw this.#wrongKind('true or false');
    return this.value;
  }

  /** What `read` gives; its `DomainError` becomes a refusal of this value. */
  checked<Value>(read: () => Value): Value {
    try {
      return read();
    } catch (error) {
      if (error instanceof DomainError) throw this.fault(error.message);
      throw error;
    }
  }

  #wrongKind(expected: string): DomainError {
    return this.fault(`expected ${expected}, got ${kindOf(this.value)}`);
  }
}
