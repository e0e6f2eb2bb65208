/** What is forgotten: an entity, and the texts that name it. */
import { entityId } from '#graph/model';

/** What people call an entity; only known while a removal is pending. */
export interface EntityNames {
  readonly type: string;
  readonly key: string;
  readonly displayName: string;
}

/** What a text that the program wrote has instead of a name. */
const REPLACEMENT = '[forgotten]';
/** The fields of documents of the program that hold texts for people. */
const TEXT_FIELDS: ReadonlySet<string> = new Set(['reason', 'message', 'warnings', 'error']);

export class Erasure {
  readonly id: string;
  readonly names: EntityNames;
  readonly #mention: RegExp;

  constructor(id: string, names: EntityNames) {
    this.id = id;
    this.names = names;
    // The longest first: a key may be part of a display name. Also as JSON has them.
    const texts = [names.key, names.displayName].flatMap((name) => [name, JSON.stringify(name).slice(1, -1)]);
    const all = [...new Set(texts)].filter((text) => text !== '').sort((a, b) => b.length - a.length);
    this.#mention = new RegExp(
      `(?<![\\p{L}\\p{N}])(?:${all.map((text) => RegExp.escape(text)).join('|')})(?![\\p{L}\\p{N}])`,
      'gu',
    );
  }

  isEntity({ type, key }: { readonly type: string; readonly key: string }): boolean {
    return entityId(type, key) === this.id;
  }

  isRelationship({
    from,
    to,
  }: {
    readonly from: { readonly type: string; readonly key: string };
    readonly to: { readonly type: string; readonly key: string };
  }): boolean {
    return this.isEntity(from) || this.isEntity(to);
  }

  /** Whether a text has one of its names as words of their own. */
  isNamedIn(text: string): boolean {
    this.#mention.lastIndex = 0;
    return this.#mention.test(text);
  }

  /** The value with its names taken out of all texts for people; the same object if there are none. */
  redacted<T>(value: T): T {
    return this.#redacted(value, false) as T;
  }

  #redacted(value: unknown, isText: boolean): unknown {
    if (typeof value === 'string') return isText ? value.replaceAll(this.#mention, REPLACEMENT) : value;
    if (typeof value !== 'object' || value === null) return value;
    const before: readonly (readonly [string, unknown])[] = Object.entries(value);
    const entries = before.map(
      ([name, each]) => [name, this.#redacted(each, isText || TEXT_FIELDS.has(name))] as const,
    );
    if (entries.every(([, each], at) => each === before[at]?.[1])) return value;
    return Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries);
  }
}
