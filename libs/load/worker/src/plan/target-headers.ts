import { DomainError } from '#platform/foundation';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

const SUFFIX = '_env';

/**
 * The resolved headers: a name ending in `_env` has the name of a variable as its value; the variable's value
 * is sent under the name without the suffix. Throws PLAN_REFUSED with the name of a missing variable.
 */
export function resolveHeaders(
  headers: Readonly<Record<string, string>> | undefined,
  environment: Environment,
): Readonly<Record<string, string>> {
  const entries = Object.entries(headers ?? {}).map(([name, value]) => {
    if (!name.endsWith(SUFFIX)) return [name.toLowerCase(), value] as const;
    const resolved = environment[value] ?? '';
    const header = name.slice(0, -SUFFIX.length);
    if (/^[\t\x20-\x7e\x80-\xff]+$/.test(resolved)) return [header.toLowerCase(), resolved] as const;
    throw new DomainError('PLAN_REFUSED', `expected the header ${header} in the variable ${value}`, {
      details: { reason: 'header_missing' },
    });
  });
  return Object.fromEntries(entries);
}
