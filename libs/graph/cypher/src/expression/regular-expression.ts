/** `=~` by re2: linear in the text, whatever the pattern. The whole text must match. */
import { RE2JS } from 're2js';
import type { Run } from '../graph/run.ts';
import { runtimeFault } from '../syntax/fault.ts';

const PATTERN_LENGTH_MAX = 1_000;
const KEPT_MAX = 128;
const kept = new Map<string, RE2JS>();

/** Instructions of a pattern, times characters of a text, that are tried in the time of a step. */
const TRIED_PER_STEP = 5_000;
/** Instructions that are compiled in that time. */
const COMPILED_PER_STEP = 20;
/** Beyond this a match would hold up all others: its work cannot be cut into pieces. */
const TRIED_MAX = 500_000_000;

export function matchesPattern(text: string, pattern: string, run: Run): boolean {
  const expression = compiled(pattern, run);
  const tried = text.length * expression.programSize();
  if (tried > TRIED_MAX) {
    throw invalid(
      `expected a shorter text before =~, or a simpler pattern: the text has ${text.length} characters`,
    );
  }
  run.tick(tried / TRIED_PER_STEP);
  return expression.matches(text);
}

function compiled(pattern: string, run: Run): RE2JS {
  const known = kept.get(pattern);
  if (known !== undefined) return known;
  if (pattern.length > PATTERN_LENGTH_MAX) {
    throw invalid(`expected a pattern of at most ${PATTERN_LENGTH_MAX} characters, got ${pattern.length}`);
  }
  const created = create(pattern);
  if (kept.size >= KEPT_MAX) kept.delete(kept.keys().next().value ?? '');
  kept.set(pattern, created);
  run.tick(created.programSize() / COMPILED_PER_STEP);
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
