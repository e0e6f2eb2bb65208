/** Integers that a number would round are rejected, as in JSON and TOML (ADR 0176). */
import { type Event, EVENT_ID, getScalarValue, intCoreTag, SCALAR_STYLE } from 'js-yaml';

const MAX = Number.MAX_SAFE_INTEGER;

export const LARGE_INTEGER = `expected an integer from -${MAX} to ${MAX}: write a larger one as text, in quotes`;

const INT_TAGS = ['!!int', '!<tag:yaml.org,2002:int>'];

/** The offset of the first integer beyond ±(2^53 − 1), as a value or a key; undefined when there is none. */
export function largeIntegerAt(events: readonly Event[], text: string): number | undefined {
  for (const event of events) {
    if (event.type !== EVENT_ID.SCALAR) continue;
    const tag = event.tagStart < 0 ? undefined : text.slice(event.tagStart, event.tagEnd);
    const isInteger = tag === undefined ? event.style === SCALAR_STYLE.PLAIN : INT_TAGS.includes(tag);
    if (isInteger && isLarge(getScalarValue(text, event), tag !== undefined)) return event.valueStart;
  }
  return undefined;
}

function isLarge(source: string, isExplicit: boolean): boolean {
  const value = intCoreTag.resolve(source, isExplicit, intCoreTag.tagName);
  return typeof value === 'number' && !Number.isSafeInteger(value);
}
