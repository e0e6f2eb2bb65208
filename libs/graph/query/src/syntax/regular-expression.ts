/**
 * Regular expressions for `=~`, in re2's linear time. Linear still means pattern × text, and a counted
 * repetition multiplies the pattern, so its expanded size is bounded before it is compiled: `(a?){1000}`
 * counts 3,000.
 */
import { RE2JS, RE2JSException } from 're2js';

/** Maximum expanded size of one pattern. */
export const PATTERN_SIZE_MAX = 4_000;

/** Maximum sum of the expanded sizes of all patterns of a query. */
export const PATTERN_SIZES_MAX = 16_000;

/** `fault` is the reason why a pattern cannot be used. */
export type CompiledPattern = { readonly expression: RE2JS } | { readonly fault: string };

/** Compiles a pattern; never throws for an invalid one. */
export function compilePattern(pattern: string): CompiledPattern {
  if (patternSize(pattern) > PATTERN_SIZE_MAX) return { fault: 'the pattern is too large' };
  try {
    return { expression: RE2JS.compile(pattern) };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return { fault: reasonOf(error) };
  }
}

/** "error parsing regexp: missing closing ]: `[`" without its head. */
function reasonOf(error: RE2JSException): string {
  const reason = error.message.replace(/^error parsing regexp: /, '');
  return reason.length > 120 ? `${reason.slice(0, 120)}…` : reason;
}

const REPETITION = /^\{(\d+)(?:,(\d*))?\}/;

/**
 * The approximate number of characters of a pattern with its counted repetitions written out. Malformed
 * patterns get a number too: the compiler rejects them.
 */
export function patternSize(pattern: string): number {
  /** Sizes of the open groups, innermost last, and of the atom to which a repetition would apply. */
  const groups = [0];
  let atom = 0;
  const add = (size: number): void => {
    groups.push((groups.pop() ?? 0) + size);
    atom = size;
  };
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    if (character === '\\') {
      at++;
      add(1);
    } else if (character === '[') {
      at = classEnd(pattern, at);
      add(1);
    } else if (character === '(') {
      groups.push(1);
    } else if (character === ')' && groups.length > 1) {
      add(groups.pop() ?? 0);
    } else if (character === '{') {
      const repetition = REPETITION.exec(pattern.slice(at, at + 12));
      if (repetition !== null) {
        at += repetition[0].length - 1;
        const repeated = atom * Math.max(1, Number(repetition[1]), Number(repetition[2] ?? 0));
        add(repeated - atom);
        atom = repeated;
      } else {
        add(1);
      }
    } else {
      add(1);
    }
  }
  return groups.reduce((sum, size) => sum + size, 0);
}

/** The offset of the `]` that ends a character class; a leading `]` is a member. */
function classEnd(pattern: string, open: number): number {
  let at = open + 1;
  if (pattern.charAt(at) === '^') at++;
  if (pattern.charAt(at) === ']') at++;
  while (at < pattern.length && pattern.charAt(at) !== ']') at += pattern.charAt(at) === '\\' ? 2 : 1;
  return at;
}
