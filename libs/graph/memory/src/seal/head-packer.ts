/**
 * Compresses the heads of a new base (ADR 0229). *Hot path* of sealing.
 *
 * A type has one dictionary, made of sample heads from all of its rows. It stays until a new one would be
 * much better; meanwhile unchanged heads are copied without encoding.
 */
import { Arena } from '../array/arena.ts';
import type { BufferBag } from '../array/buffer-bag.ts';
import { HeadEncoder } from '../head/head-encoder.ts';
import { BODY_AT } from '../head/head-window.ts';
import type { RawHeads } from './raw-heads.ts';
import type { SealSources } from './seal-sources.ts';

const DICTIONARY_BYTES_MAX = 32_768;
/** Maximum size of a dictionary as a fraction of its heads. */
const DICTIONARY_SHARE = 1 / 8;
const SAMPLES = 16;
const TRIALS = 64;
/** A new dictionary must reduce the size to this fraction, since all heads are encoded again. */
const WORTH_RATIO = 7 / 8;

interface TypeDictionary {
  readonly encoder: HeadEncoder;
  readonly part: number;
  /** Whether the old base has the same dictionary. */
  readonly isKept: boolean;
}

/** Consecutive rows. */
interface Rows {
  readonly type: string;
  /** Old numbers. */
  readonly nodes: Uint32Array;
  readonly heads: RawHeads;
}

export class HeadPacker {
  readonly #sources: SealSources;
  readonly #bag: BufferBag;
  readonly #arena = new Arena();
  readonly #dictionaries = new Map<string, TypeDictionary>();

  constructor(sources: SealSources, bag: BufferBag) {
    this.#sources = sources;
    this.#bag = bag;
  }

  /** Sets the rows' references; returns the part of their dictionary. */
  pack({ type, nodes, heads }: Rows, references: Uint32Array): number {
    const { base } = this.#sources;
    const { encoder, part, isKept } = this.#dictionary(type, heads);
    for (let row = 0; row < nodes.length; row++) {
      const node = nodes[row]!;
      references[row] =
        isKept && this.#sources.nodeContent(node) === 0
          ? this.#arena.addFrom(base.headArena, base.headReferences[node]!)
          : this.#arena.add(encoder.encode(heads.bytes(row), heads.start(row), heads.end(row)));
    }
    return part;
  }

  /** Adds the packed heads to the bag; returns their parts. */
  finish(): number[] {
    return this.#arena.trimmed().map((chunk) => this.#bag.put(chunk));
  }

  #dictionary(type: string, heads: RawHeads): TypeDictionary {
    const known = this.#dictionaries.get(type);
    if (known !== undefined) return known;
    const old = this.#oldEncoder(type);
    const fresh = new HeadEncoder(sampledDictionary(heads));
    const isKept = old !== undefined && trialBytes(fresh, heads) >= trialBytes(old, heads) * WORTH_RATIO;
    const encoder = isKept ? old : fresh;
    const dictionary = { encoder, isKept, part: this.#bag.put(encoder.dictionary) };
    this.#dictionaries.set(type, dictionary);
    return dictionary;
  }

  #oldEncoder(type: string): HeadEncoder | undefined {
    const { meta, bag } = this.#sources.base;
    const segment = meta.segments.find((other) => other.type === type);
    return segment === undefined ? undefined : new HeadEncoder(bag.asUint8(segment.dictionary));
  }
}

/** Sample bodies from all of the rows, concatenated in shared memory. */
function sampledDictionary(heads: RawHeads): Uint8Array {
  let total = 0;
  for (let row = 0; row < heads.length; row++) total += heads.end(row) - heads.start(row) - BODY_AT;
  const mean = total / heads.length;
  const room = Math.floor(Math.min(DICTIONARY_BYTES_MAX, total * DICTIONARY_SHARE, mean * SAMPLES));
  const dictionary = new Uint8Array(new SharedArrayBuffer(room));
  let length = 0;
  for (const row of spreadRows(heads.length, SAMPLES)) {
    const start = heads.start(row) + BODY_AT;
    const sample = heads.bytes(row).subarray(start, Math.min(heads.end(row), start + room - length));
    dictionary.set(sample, length);
    length += sample.length;
  }
  return dictionary.subarray(0, length);
}

function trialBytes(encoder: HeadEncoder, heads: RawHeads): number {
  let bytes = 0;
  for (const row of spreadRows(heads.length, TRIALS))
    bytes += encoder.encode(heads.bytes(row), heads.start(row), heads.end(row)).length;
  return bytes;
}

function spreadRows(rows: number, most: number): number[] {
  const count = Math.min(rows, most);
  return Array.from({ length: count }, (_, at) => Math.floor(((at + 0.5) * rows) / count));
}
