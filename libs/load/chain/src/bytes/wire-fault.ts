import { DomainError } from '#platform/foundation';

/** The failure of whatever is not in the format that it is said to be in. */
export function wireFault(message: string): DomainError {
  return new DomainError('WIRE_FORMAT', message);
}
