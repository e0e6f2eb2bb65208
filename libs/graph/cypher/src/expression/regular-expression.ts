/** `=~` by re2: linear in the text, whatever the pattern. The whole text must match. */
import { RE2JS } from 're2js';
import { runtimeFault } from '../syntax/fault.ts';

const PATTERN_LENGTH_MAX = 1_000;
const KEPT_MAX = 128;
const kept = new Map<string, RE2JS>();

export function matchesPattern(text: string, pattern: string): boolean {
  return compiled(pattern).matches(text);
}

function compiled(pattern: string): RE2JS {
  const known = kept.get(pattern);
  if (known !== undefined) return known;
  if (pattern.length > PATTERN_LENGTH_MAX) {
    throw invalid(`expected a pattern of at most ${PATTERN_LENGTH_MAX} characters, got ${pattern.length}`);
  }
  const created = create(pattern);
  if (kept.size >= KEPT_MAX) kept.delete(kept.keys().next().value ?? '');
  kept.set(pattern, created);
  return created;
}

function create(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw invalid(`invalid regular expression: ${error instanceof Error ? error.message : pattern}`);
  }
}

function invalid(message: string): Error {
  return runtimeFault('InvalidArgumentValue', 'Neo.ClientError.Statement.ArgumentError', message);
}
