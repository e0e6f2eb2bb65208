import type { SchemaCommand, SchemaRule } from '../syntax/schema-rule.ts';

/** The indexes and constraints that a transaction sees. */
export interface SchemaPort {
  readonly rules: readonly SchemaRule[];
  /** Throws where it cannot be done; done when the transaction commits. */
  change(command: SchemaCommand): void;
}
