import type { DocumentKind } from './erasure/document-kind.ts';
import type { ChangeAudit } from './store/graph-options.ts';

const DAY_MS = 86_400_000;

/** Settings of the graph. */
export class EngineSettings {
  /** Retention of deleted records and stored replies, in milliseconds. */
  readonly retention: number = 30 * DAY_MS;
  /** How long history is kept, in milliseconds; 0: none. */
  readonly history: number = 7 * DAY_MS;
  /** Takes the event of each change. */
  readonly changeAudit: ChangeAudit | undefined = undefined;
  /** All documents of the program, and what forgetting an entity does to each. */
  readonly documentKinds: readonly DocumentKind[] | undefined = undefined;
}
