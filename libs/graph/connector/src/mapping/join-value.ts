import { RE2JS, RE2JSException } from 're2js';
import type { Scalar } from '#graph/model';

/** Bounds the memory of a compiled pattern. */
const PATTERN_LENGTH_MAX = 1_000;
const CAPTURE = 'capture:';

/** Changes a text before it is compared; undefined matches nothing. */
export type Transform = (text: string) => string | undefined;

/**
 * Parses `lower`, `upper` or `capture:<pattern>`, a regular expression of RE2 whose first group, or whole
 * match, is the value. Returns why it cannot be used.
 */
export function parseTransform(text: string): Transform | { readonly fault: string } {
  if (text === 'lower') return (value) => value.toLowerCase();
  if (text === 'upper') return (value) => value.toUpperCase();
  if (!text.startsWith(CAPTURE)) return { fault: 'expected lower, upper or capture:<pattern>' };
  const pattern = text.slice(CAPTURE.length);
  if (pattern.length > PATTERN_LENGTH_MAX) {
    return { fault: `expected a pattern of at most ${PATTERN_LENGTH_MAX} characters` };
  }
  try {
    return capture(RE2JS.compile(pattern));
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return { fault: `expected a pattern of RE2: ${error.message.replace(/^error parsing regexp: /, '')}` };
  }
}

function capture(expression: RE2JS): Transform {
  return (text) => {
    const matcher = expression.matcher(text);
    if (!matcher.find()) return undefined;
    return matcher.group(matcher.groupCount() > 0 ? 1 : 0) ?? undefined;
  };
}

/** The value by which one end of a mapping is compared; undefined matches nothing. Only texts are changed. */
export function joinValue(
  value: Scalar,
  transforms: readonly Transform[],
  ignoresCase: boolean,
): Scalar | undefined {
  if (typeof value !== 'string') return value;
  let text: string | undefined = value;
  for (const transform of transforms) text = text === undefined ? undefined : transform(text);
  return ignoresCase ? text?.normalize('NFC').toLowerCase().normalize('NFC') : text;
}
