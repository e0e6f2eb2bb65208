import { DomainError } from '#platform/foundation';
import type { DocumentFault, DocumentPath, Shape } from './shape.ts';

/**
 * Reads a parsed document (YAML, TOML, JSON) by its shape: the whole of it, frozen, or INVALID_CONFIG with
 * all faults in one message, each with its path. `what` names the document: `edge.toml`.
 */
export function readDocument<T>(shape: Shape<T>, value: unknown, what: string): T {
  const { result, faults } = checkDocument(shape, value);
  if (result !== undefined && faults.length === 0) return result;
  const lines = faults.map(faultText);
  throw new DomainError('INVALID_CONFIG', `${what}: ${lines.join('; ')}`, { details: { faults: lines } });
}

/** The same, for who has more to say of it: the value, or what is wrong. */
export function checkDocument<T>(
  shape: Shape<T>,
  value: unknown,
): { readonly result: T | undefined; readonly faults: readonly DocumentFault[] } {
  const faults: DocumentFault[] = [];
  const result = shape.read(value, { path: [], faults });
  return { result, faults };
}

/** `load.stages.0.rate: expected a number from 0 to 1000000`. */
export function faultText({ path, message }: DocumentFault): string {
  return path.length === 0 ? message : `${pathText(path)}: ${message}`;
}

/** Names joined by dots; what could be mistaken is quoted. */
function pathText(path: DocumentPath): string {
  return path
    .map((part) => (/^[\w-]{1,64}$/.test(String(part)) ? String(part) : JSON.stringify(part).slice(0, 66)))
    .join('.');
}
