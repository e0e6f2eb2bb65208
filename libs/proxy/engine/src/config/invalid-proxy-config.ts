import { DomainError } from '#platform/foundation';

/** INVALID_CONFIG with all faults of a configuration, in the order of the file, one per line. */
export class InvalidProxyConfig extends DomainError {
  /** Each in the form `file:line:column: …`. */
  readonly faults: readonly string[];

  constructor(faults: readonly string[], cause?: unknown) {
    super('INVALID_CONFIG', faults.join('\n'), cause === undefined ? {} : { cause });
    this.faults = faults;
  }
}
