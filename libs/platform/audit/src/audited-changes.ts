import type { AuditedChange } from './audit-event.ts';
import type { AuditTrail } from './audit-trail.ts';

/** Changes of a program that keeps no log of its own: each stands in the trail, if one is kept. */
export class AuditedChanges {
  readonly #trail: Pick<AuditTrail, 'change' | 'failed'> | undefined;

  constructor(trail?: Pick<AuditTrail, 'change' | 'failed'>) {
    this.#trail = trail;
  }

  /** Call it before the change is made. Throws STORE_UNAVAILABLE if it must not be made. */
  announce(change: AuditedChange): void {
    this.#trail?.change(change);
  }

  /** Announces the change, and makes it. One that fails, or has such a result, has another event. */
  async make<T>(
    change: AuditedChange,
    work: () => T | Promise<T>,
    isMade: (result: T) => boolean = () => true,
  ): Promise<T> {
    this.announce(change);
    try {
      const result = await work();
      if (!isMade(result)) this.#trail?.failed(change);
      return result;
    } catch (error) {
      this.#trail?.failed(change);
      throw error;
    }
  }
}
