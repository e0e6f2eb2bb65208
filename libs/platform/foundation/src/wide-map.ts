/** Maximum number of keys of the first map: rehashing it takes a few milliseconds at most. */
const FIRST_MAX = 65_536;
/** Number of maps for the keys beyond that. */
const PARTS = 128;
const VALUES_PER_CHUNK = 4_096;
const SAMPLED_CHARS = 12;
const MIX = 0x9e37_79b1;

export type WideKey = string | number | boolean | null;

/**
 * A map for any number of keys, without removal or replacement. A single `Map` rehashes in one go each time
 * it doubles, which takes tens of milliseconds at a million keys, and is limited to 2^24 keys.
 */
export class WideMap<Value> {
  readonly #first = new Map<WideKey, Value>();
  #further: FurtherKeys<Value> | undefined;

  get(key: WideKey): Value | undefined {
    return this.#first.get(key) ?? this.#further?.get(key);
  }

  /** The key must be new. */
  add(key: WideKey, value: Value): void {
    if (this.#first.size < FIRST_MAX) this.#first.set(key, value);
    else (this.#further ??= new FurtherKeys()).add(key, value);
  }

  /** The values in insertion order. */
  values(): Iterable<Value> {
    return this.#further === undefined ? this.#first.values() : both(this.#first, this.#further);
  }
}

class FurtherKeys<Value> {
  readonly #parts: (Map<WideKey, Value> | undefined)[] = [];
  readonly #chunks: Value[][] = [];
  #chunk: Value[] = [];

  get(key: WideKey): Value | undefined {
    return this.#parts[partOf(key)]?.get(key);
  }

  add(key: WideKey, value: Value): void {
    (this.#parts[partOf(key)] ??= new Map<WideKey, Value>()).set(key, value);
    if (this.#chunk.length % VALUES_PER_CHUNK === 0) this.#chunks.push((this.#chunk = []));
    this.#chunk.push(value);
  }

  *values(): Generator<Value> {
    for (const chunk of this.#chunks) yield* chunk;
  }
}

function* both<Value>(first: ReadonlyMap<WideKey, Value>, further: FurtherKeys<Value>): Generator<Value> {
  yield* first.values();
  yield* further.values();
}

function partOf(key: WideKey): number {
  let hash = typeof key === 'string' ? sampled(key) : Number(key) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), MIX);
  return (hash >>> 16) % PARTS;
}

/** A hash of sampled characters, including the last ones: keys often differ only there. */
function sampled(text: string): number {
  const step = Math.max(1, Math.floor(text.length / SAMPLED_CHARS));
  let hash = text.length;
  for (let at = 0; at < text.length; at += step) hash = Math.imul(hash ^ text.charCodeAt(at), MIX);
  for (let at = Math.max(0, text.length - 4); at < text.length; at++)
    hash = Math.imul(hash ^ text.charCodeAt(at), MIX);
  return hash;
}
