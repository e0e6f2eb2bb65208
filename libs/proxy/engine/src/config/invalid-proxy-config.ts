import { DomainError } from '#platform/foundation';

/** INVALID_CONFIG with all that is wrong with a configuration, in the order of the file, one a line. */
export class InvalidProxyConfig extends DomainError {
  /** Each as `file:line:column: …`. */
  readonly faults: readonly string[];

  constructor(faults: readonly string[], cause?: unknown) {
    super('INVALID_CONFIG', faults.join('\n'), cause === undefined ? {} : { cause });
    this.faults = faults;
  }
}
