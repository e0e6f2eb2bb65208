/** So many keys are in one map: laying that out anew takes a few milliseconds at most. */
const FIRST_MAX = 65_536;
/** Maps that further keys are spread over. */
const PARTS = 128;
const VALUES_PER_CHUNK = 4_096;
const SAMPLED_CHARS = 12;
const MIX = 0x9e37_79b1;

export type WideKey = string | number | boolean | null;

/**
 * A map for any number of keys, none of which is ever removed or given another value. A single `Map` is laid
 * out anew in one go each time it has doubled, which takes tens of milliseconds at a million keys, and it
 * ends at 2^24 of them (ADR 0190).
 */
export class WideMap<Value> {
  readonly #first = new Map<WideKey, Value>();
  #further: FurtherKeys<Value> | undefined;

  get(key: WideKey): Value | undefined {
    return this.#first.get(key) ?? this.#further?.get(key);
  }

  /** A key that is not there yet. */
  add(key: WideKey, value: Value): void {
    if (this.#first.size < FIRST_MAX) this.#first.set(key, value);
    else (this.#further ??= new FurtherKeys()).add(key, value);
  }

  /** In the order in which they were added. */
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

/** Of characters throughout the text, the last ones among them: keys often differ in those alone. */
function sampled(text: string): number {
  const step = Math.max(1, Math.floor(text.length / SAMPLED_CHARS));
  let hash = text.length;
  for (let at = 0; at < text.length; at += step) hash = Math.imul(hash ^ text.charCodeAt(at), MIX);
  for (let at = Math.max(0, text.length - 4); at < text.length; at++)
    hash = Math.imul(hash ^ text.charCodeAt(at), MIX);
  return hash;
}
