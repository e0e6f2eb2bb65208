import { DomainError } from '#platform/foundation';

/** A document sent back as it was returned names itself. */
export function assertSameName(written: string | null | undefined, name: string): void {
  if ((written ?? name) === name) return;
  throw new DomainError('INVALID_REQUEST', `name: expected ${name}, as in the path`, {
    details: { field: 'name' },
  });
}
