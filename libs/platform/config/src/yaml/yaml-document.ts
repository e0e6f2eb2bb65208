import { CORE_SCHEMA, constructFromEvents, dump, mergeTag, parseEvents, YAMLException } from 'js-yaml';
import { DomainError } from '#platform/foundation';
import { faultText, type PlacedFault, readShape } from '../document/read-document.ts';
import type { DocumentFault, Shape } from '../document/shape.ts';
import { checkAliases } from './alias-budget.ts';
import { LARGE_INTEGER, largeIntegerAt } from './large-integer.ts';
import { documentStart, type PlaceTree, placesIn } from './place-tree.ts';

/** An index of line starts, so that a position is found without rescanning the text. */
class LineStarts {
  readonly #starts: readonly number[];

  constructor(text: string) {
    this.#starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  }

  /** Counted from 1, as in editors. */
  placeOf(offset: number): { readonly line: number; readonly column: number } {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#starts[middle] ?? Infinity) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (this.#starts[low] ?? 0) + 1 };
  }
}

const TEXT_BYTES_MAX = 1_048_576;
const DEPTH_MAX = 32;

/** Path from the top of a document to a value: names of maps, positions in lists. */
export type YamlPath = readonly (string | number)[];

/** A position counted from 1, as in editors. */
export interface YamlPlace {
  readonly line: number;
  readonly column: number;
}

/** What is wrong, and where. */
export interface YamlFault extends YamlPlace {
  readonly message: string;
}

/**
 * One YAML document in the core schema: null, booleans, numbers, texts, lists and maps. It rejects tags of
 * other types, duplicate keys, nesting deeper than 32, texts longer than 1 MiB, and integers that a number
 * would round. Aliases are rejected too; with `unfold` they are copied in place, up to a limit, and merge
 * keys (`<<`) are read.
 */
export class YamlDocument {
  readonly value: unknown;
  readonly #file: string;
  readonly #lines: LineStarts;
  readonly #places: PlaceTree;

  /** `file` is for messages. Throws INVALID_CONFIG with `file:line:column: <fault>`. */
  static parse(text: string, file: string, aliases: 'refuse' | 'unfold' = 'refuse'): YamlDocument {
    if (Buffer.byteLength(text) > TEXT_BYTES_MAX) {
      throw new DomainError('INVALID_CONFIG', `${file}: expected at most ${TEXT_BYTES_MAX} bytes`);
    }
    try {
      const events = parseEvents(text, { filename: file, maxDepth: DEPTH_MAX });
      const fault = checkAliases(events, text, aliases);
      if (fault !== undefined) throw refusal(file, placeAt(text, fault.offset), fault.message);
      const large = largeIntegerAt(events, text);
      if (large !== undefined) throw refusal(file, placeAt(text, large), LARGE_INTEGER);
      const isUnfolded = aliases === 'unfold';
      const values = constructFromEvents(events, {
        source: text,
        schema: isUnfolded ? CORE_SCHEMA.withTags(mergeTag) : CORE_SCHEMA,
        maxAliases: isUnfolded ? events.length : 0,
      });
      if (values.length > 1)
        throw refusal(file, placeAt(text, documentStart(events, 1, text)), 'expected one document');
      const value = isUnfolded ? unshared(values[0]) : values[0];
      return new YamlDocument({ value, file, text, places: placesIn(events, text) });
    } catch (error) {
      if (error instanceof YAMLException) throw refusalOf(error, file);
      throw error;
    }
  }

  private constructor(parts: { value: unknown; file: string; text: string; places: PlaceTree }) {
    this.value = parts.value;
    this.#file = parts.file;
    this.#lines = new LineStarts(parts.text);
    this.#places = parts.places;
  }

  /** The position of a value or of its key; for a missing value, that of the enclosing map. */
  placeOf(path: YamlPath, at: 'key' | 'value' = 'value'): YamlPlace {
    let place = this.#places;
    for (const [index, name] of path.entries()) {
      const next = place.children.get(name);
      if (next === undefined) break;
      place = next;
      if (at === 'key' && index === path.length - 1) return this.#lines.placeOf(place.keyStart);
    }
    return this.#lines.placeOf(place.start);
  }

  /** The value at a path, read by its shape. Throws INVALID_CONFIG with the position of the first fault. */
  read<T>(shape: Shape<T>, path: YamlPath = [], value: unknown = this.value): T {
    const faultOf = (fault: PlacedFault): DomainError =>
      this.fault(fault.path, fault.at === 'key' ? fault.message : faultText(fault), fault.at);
    return readShape(shape, value, faultOf, path);
  }

  /** All faults of the value at a path, with their positions. */
  faults(shape: Shape<unknown>, path: YamlPath = [], value: unknown = this.value): readonly YamlFault[] {
    const faults: DocumentFault[] = [];
    shape.read(value, { path, faults });
    return faults.map((fault) => {
      const { keyHint } = fault;
      const name = JSON.stringify(fault.path.at(-1));
      if (keyHint === undefined) return { ...this.placeOf(fault.path), message: faultText(fault) };
      return { ...this.placeOf(fault.path, 'key'), message: `unknown key ${name}, ${keyHint}` };
    });
  }

  /** The error for a value, or for its key: INVALID_CONFIG with `file:line:column`. */
  fault(path: YamlPath, message: string, at: 'key' | 'value' = 'value'): DomainError {
    return refusal(this.#file, this.placeOf(path, at), message);
  }
}

function placeAt(text: string, offset: number): YamlPlace {
  return new LineStarts(text).placeOf(offset);
}

/** A deep copy without shared references: the parser returns one object for all aliases of an anchor. */
function unshared(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unshared);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, unshared(member)]));
}

function refusalOf(error: YAMLException, file: string): DomainError {
  const { mark, reason } = error;
  if (mark !== undefined)
    return refusal(file, { line: mark.line + 1, column: mark.column + 1 }, reason, error);
  return new DomainError('INVALID_CONFIG', `${file}: ${reason}`, { cause: error });
}

function refusal(file: string, { line, column }: YamlPlace, message: string, cause?: Error): DomainError {
  return new DomainError('INVALID_CONFIG', `${file}:${line}:${column}: ${message}`, {
    details: { line, column },
    ...(cause && { cause }),
  });
}

/** JSON data as a YAML document that {@link YamlDocument} reads back as an equal value. */
export function yamlText(value: unknown): string {
  return dump(value, { schema: CORE_SCHEMA, noRefs: true, lineWidth: 100 });
}
