import type { MemoryGraphOptions } from '#graph/memory';
import type { StorageOptions } from '#graph/storage';
import type { AuditTrail } from '#platform/audit';
import type { Clock } from '#platform/foundation';
import type { DocumentKind } from '../erasure/document-kind.ts';

/** Where events of changes go. */
export type ChangeAudit = Pick<AuditTrail, 'change' | 'failed'>;

/** The logger's interface, compatible with pino. */
export interface GraphLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Options of the graph above its store. */
export interface GraphMemoryOptions {
  /** Retention of deleted records and stored replies. Default 30 days. */
  readonly retentionMs?: number;
  /** How long history is kept: what records were. Default 0: none is written. */
  readonly historyMs?: number;
  readonly clock?: Clock;
  readonly log?: GraphLog;
  /** Takes the event of each change before the change is made. Default: none. */
  readonly audit?: ChangeAudit | undefined;
  /**
   * All documents that may be written, and what a removal does to each. Default: any document may be, and a
   * removal in a store that has some waits, with STORE_UNAVAILABLE, for a program that knows them.
   */
  readonly documentKinds?: readonly DocumentKind[] | undefined;
  /** Called once the graph and its store are closed. */
  readonly ended?: (() => Promise<void>) | undefined;
  /** Options of sealing: the builder, and the idle time before it. */
  readonly memory?: Pick<MemoryGraphOptions, 'runSeal' | 'sealIdleMs'>;
  /** Minimum number of changed records for saving an image at close. Default 10,000. */
  readonly imageRecordsMin?: number;
}

export interface GraphOptions extends GraphMemoryOptions {
  readonly directory: string;
  readonly disk: StorageOptions['disk'];
  /** Options of storage: the listener of group commits, other workers. */
  readonly storage?: Pick<StorageOptions, 'jobs' | 'onCommit' | 'walFileBytes'>;
}
