import { assert, DomainError } from '#platform/foundation';
import type { DocumentFault, DocumentPath, Shape } from './shape.ts';

/**
 * Validates a parsed document (YAML, TOML, JSON) against its shape. Returns it frozen, or throws
 * INVALID_CONFIG with all faults in one message, each with its path. `what` names the document: `edge.toml`.
 */
export function readDocument<T>(shape: Shape<T>, value: unknown, what: string): T {
  const { result, faults } = checkDocument(shape, value);
  if (result !== undefined && faults.length === 0) return result;
  const lines = faults.map(faultText);
  throw new DomainError('INVALID_CONFIG', `${what}: ${lines.join('; ')}`, { details: { faults: lines } });
}

/** Like `readDocument`, for callers that report faults themselves: returns the value, or the faults. */
export function checkDocument<T>(
  shape: Shape<T>,
  value: unknown,
): { readonly result: T | undefined; readonly faults: readonly DocumentFault[] } {
  const faults: DocumentFault[] = [];
  const result = shape.read(value, { path: [], faults });
  return { result, faults };
}

/** A fault as a text editor shows it, at a key or at a value. */
export interface PlacedFault extends Pick<DocumentFault, 'path' | 'message'> {
  readonly at: 'key' | 'value';
}

/** The most useful of several faults: a misspelt key explains a missing one. */
export function firstFault(faults: readonly DocumentFault[]): PlacedFault | undefined {
  const misspelt = faults.find(({ keyHint }) => keyHint !== undefined);
  const [first] = faults;
  if (misspelt === undefined) return first && { ...first, at: 'value' };
  const { path, keyHint } = misspelt;
  return { path, message: `unknown key ${JSON.stringify(path.at(-1))}, ${keyHint ?? ''}`, at: 'key' };
}

/** The value as read by its shape; the first fault is thrown as made by `faultOf`. The value is at `path`. */
export function readShape<T>(
  shape: Shape<T>,
  value: unknown,
  faultOf: (fault: PlacedFault) => DomainError,
  path: DocumentPath = [],
): T {
  const faults: DocumentFault[] = [];
  const result = shape.read(value, { path, faults });
  const fault = firstFault(faults);
  if (fault !== undefined) throw faultOf(fault);
  assert(result !== undefined, 'a shape returns undefined only after it has added a fault');
  return result;
}

/** The result of `read`; a `DomainError` that it throws is rethrown as made by `faultOf`, at its path. */
export function readPlaced<T>(read: () => T, faultOf: (message: string) => DomainError): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DomainError) throw faultOf(error.message);
    throw error;
  }
}

/** `load.stages.0.rate: expected a number from 0 to 1000000`. */
export function faultText({ path, message }: Pick<DocumentFault, 'path' | 'message'>): string {
  return path.length === 0 ? message : `${pathText(path)}: ${message}`;
}

/** Names joined by dots; ambiguous names are quoted. */
function pathText(path: DocumentPath): string {
  return path
    .map((part) => (/^[\w-]{1,64}$/.test(String(part)) ? String(part) : JSON.stringify(part).slice(0, 66)))
    .join('.');
}
