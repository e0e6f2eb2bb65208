import { DomainError } from '#platform/foundation';

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

const SUFFIX = '_env';

/**
 * Headers as they are sent: a name that ends in `_env` has the name of a variable, whose value is sent under
 * the name before it. Throws PLAN_REFUSED for a variable that is not there; its message names it.
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
