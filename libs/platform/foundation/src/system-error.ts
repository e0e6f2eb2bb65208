/**
 * The `code` of an error of Node's own or of Fastify; undefined for anything else. Not by class: realms
 * differ.
 */
export function errorCodeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
