/** Maps that the keys are spread over. */
const PARTS = 128;
const SAMPLED_CHARS = 12;
const MIX = 0x9e37_79b1;

export type WideKey = string | number | boolean | null;

/**
 * A map for any number of keys. A single `Map` is laid out anew in one go each time it has doubled, which
 * takes tens of milliseconds at a million keys, and it ends at 2^24 of them.
 */
export class WideMap<Value> {
  readonly #parts: (Map<WideKey, Value> | undefined)[] = [];

  get(key: WideKey): Value | undefined {
    return this.#parts[partOf(key)]?.get(key);
  }

  set(key: WideKey, value: Value): void {
    const part = partOf(key);
    (this.#parts[part] ??= new Map<WideKey, Value>()).set(key, value);
  }

  /** In no order. */
  *values(): Generator<Value> {
    for (const part of this.#parts) if (part !== undefined) yield* part.values();
  }
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
