/** Lists of distinct nodes (or links) of any length, without blocking. *Hot path*. */
import type { ExecutionContext } from '../context/execution-context.ts';
import type { NodeList } from '../context/node-list.ts';
import type { Pace } from '../context/pace.ts';

/** Up to this many are sorted, or kept in a set, without yielding. */
const FEW = 4_096;

/** Distinct numbers below `bound`, ascending. */
export function* ascending(found: NodeList, bound: number, pace: Pace): Generator<void, Uint32Array> {
  if (found.length <= FEW) return found.toArray().sort();
  const words = new Uint32Array((bound >>> 5) + 1);
  for (let at = 0; at < found.length; at++) {
    const item = found.at(at);
    words[item >>> 5]! |= 1 << (item & 31);
    if (pace.isDue(1)) yield;
  }
  return yield* numbersOf(words, pace);
}

/** The indices of the set bits, ascending. */
export function* numbersOf(words: Uint32Array, pace: Pace): Generator<void, Uint32Array> {
  let count = 0;
  for (const word of words) {
    count += bitCount(word);
    if (pace.isDue(1)) yield;
  }
  const numbers = new Uint32Array(count);
  let at = 0;
  for (let index = 0; index < words.length; index++) {
    for (let word = words[index]!; word !== 0; word &= word - 1)
      numbers[at++] = (index << 5) + 31 - Math.clz32(word & -word);
    if (pace.isDue(4)) yield;
  }
  return numbers;
}

/** A function that returns whether a node is new; `many` is the expected number of calls. */
export function newNodes(context: ExecutionContext, many: number): (node: number) => boolean {
  if (many > FEW) {
    const marks = context.takeMarks();
    return (node) => marks.add(node);
  }
  const known = new Set<number>();
  return (node) => known.size < known.add(node).size;
}

function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555_5555);
  const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
