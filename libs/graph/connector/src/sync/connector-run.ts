import type { SyncDocument } from '#graph/engine';
import { DomainError, InvariantViolation, type Secret } from '#platform/foundation';
import { traced } from '#platform/observability';
import type { ConfiguredConnector } from '../config/read-connector.ts';
import { failureMessage } from '../run/report-text.ts';
import { collect, type Collection, type CollectOptions } from '../run/collect.ts';
import type { CollectionReport } from '../run/run-report.ts';
import { ANY_TYPE, type ReadyConnector, type Step } from '../run/step.ts';
import type { ConnectorSync } from './connector-sync.ts';
import { type CursorPlace, RunCursors } from './run-cursors.ts';
import type { SyncCounts } from './sync-target.port.ts';

/**
 * `collecting` until all steps have ended, then `syncing`; finally the status of the collection, or `failed`
 * if the sync was rejected.
 */
export type ConnectorRunStatus = 'collecting' | 'syncing' | 'complete' | 'partial' | 'failed' | 'aborted';

/** The current state of a run, in the form of REST. */
export interface RunReport extends Omit<CollectionReport, 'status'> {
  readonly status: ConnectorRunStatus;
  /** Number of relationships derived by mappings. */
  readonly mapped: number;
  /** Why nothing was synced. Never a secret or a path. */
  readonly reason?: string;
  /** The changes of the sync; absent if nothing was synced. */
  readonly sync?: SyncCounts;
}

export interface RunParts {
  readonly connector: ConfiguredConnector;
  readonly syncId: string;
  readonly sync: ConnectorSync;
  /** Disables the deletion limit of the sync. */
  readonly force?: boolean;
  /** In the turn of the sync: whether no other process has taken the connector over. Default: none can. */
  readonly isOpen?: () => boolean;
  readonly cursors: CursorPlace;
  readonly options?: Omit<CollectOptions, 'onProgress'>;
  /** Called at every change; building the report is expensive. */
  readonly onProgress?: (report: () => RunReport) => void;
}

/** The state before the first step. */
export const NOTHING_YET: RunReport = {
  status: 'collecting',
  mapped: 0,
  steps: [],
  entities: 0,
  relationships: 0,
  partial_types: [],
  unresolved_count: 0,
  external_count: 0,
  ignored: {},
  warnings: [],
  warning_count: 0,
};

/**
 * Runs a connector and syncs its result as one atomic diff: its steps, its mappings, then the sync. If no
 * step succeeded, or the run was stopped, nothing is synced, and the report contains the reason. Rejects only
 * with an InvariantViolation.
 */
export async function syncConnector(parts: RunParts): Promise<RunReport> {
  const { connector } = parts;
  return traced(
    'connector.run',
    async (span) => {
      const report = await new ConnectorRun(parts).run();
      span?.set({ 'connector.status': report.status, 'connector.entities': report.entities });
      if (report.status === 'failed') span?.fail('run_failed');
      return report;
    },
    { attributes: { 'connector.id': connector.id } },
  );
}

class ConnectorRun {
  readonly #parts: RunParts;
  #collection: () => Omit<CollectionReport, 'status'> = () => NOTHING_YET;
  /** The report that the sync was planned with: what comes later is logged only. */
  #planned: CollectionReport | undefined;
  #status: ConnectorRunStatus = 'collecting';
  #mapped = 0;
  #reason: string | undefined;
  #sync: SyncCounts | undefined;

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  async run(): Promise<RunReport> {
    let secrets: readonly Secret[] = [];
    try {
      const ready = this.#parts.connector.prepare();
      ({ secrets } = ready);
      const onProgress = (report: () => CollectionReport): void => {
        if (this.#planned === undefined) this.#collection = report;
        this.#reportProgress();
      };
      const cursors = new RunCursors(ready, this.#parts.cursors);
      const fresh = { ...ready, cursors: cursors.given };
      await this.#finish(
        fresh,
        await collect(fresh, { ...this.#parts.options, graph: this.#parts.sync.graph, onProgress }),
        cursors,
      );
    } catch (error) {
      // An InvariantViolation must end the process.
      if (error instanceof InvariantViolation) throw error;
      if (this.#reason === undefined) {
        this.#status = 'failed';
        this.#reason = failureMessage(error, secrets);
      }
    }
    this.#reportProgress();
    return this.#report();
  }

  async #finish(ready: ReadyConnector, collection: Collection, cursors: RunCursors): Promise<void> {
    const { collected, partialRelationships, unread, increment, report } = collection;
    const { connector, syncId, sync, force = false } = this.#parts;
    this.#collection = report;
    if (this.#isUnfit(report())) return;
    const emptied = connector.allowEmpty ? [] : emptiedTypes(ready.steps, report(), increment?.types);
    const seen = { connector, collected, partialRelationships, unread, increment, emptied };
    const mapped = sync.map(seen, report().partial_types);
    this.#mapped = mapped.relationshipCount;
    this.#status = 'syncing';
    this.#reportProgress();
    const partialTypes = (): readonly string[] => this.#plan(report());
    const document = (): SyncDocument | undefined => cursors.document(this.#planned ?? report(), collection);
    this.#sync = await sync.sync(seen, { syncId, force, mapped, partialTypes, document });
    this.#status = (this.#planned ?? report()).status;
  }

  /** Whether nothing of it may be synced. */
  #isUnfit(report: CollectionReport): boolean {
    if (report.status !== 'failed' && report.status !== 'aborted') return false;
    this.#reason = reasonOf(report);
    this.#status = report.status;
    return true;
  }

  /**
   * The partial types with which the sync is planned. Until then a late error of a step can add to them; what
   * comes afterwards is logged only. Throws if nothing may be synced any more.
   */
  #plan(report: CollectionReport): readonly string[] {
    if (this.#isUnfit(report)) throw new DomainError('CONFLICT', reasonOf(report));
    if (this.#parts.isOpen?.() === false) throw new DomainError('CONFLICT', OVERTAKEN);
    this.#planned = report;
    this.#collection = () => report;
    return report.partial_types;
  }

  #report(): RunReport {
    return {
      ...this.#collection(),
      status: this.#status,
      mapped: this.#mapped,
      ...(this.#reason !== undefined && { reason: this.#reason }),
      ...(this.#sync !== undefined && { sync: this.#sync }),
    };
  }

  #reportProgress(): void {
    this.#parts.onProgress?.(() => this.#report());
  }
}

const OVERTAKEN = 'this node lost the lease of the connector, and another one has taken it over';

/** Types of steps that found none of what they should; all if the whole run did. */
function emptiedTypes(
  steps: readonly Step[],
  report: CollectionReport,
  incrementTypes: readonly string[] | undefined,
): readonly string[] {
  if (report.entities === 0 && incrementTypes === undefined) return [ANY_TYPE];
  const empty = report.steps.filter(({ status, entities }) => status === 'done' && entities === 0);
  const ids = new Set(empty.map(({ id }) => id));
  return steps
    .filter(({ id, isNeverEmpty }) => isNeverEmpty === true && ids.has(id))
    .flatMap(({ emits }) => emits?.entities ?? [])
    .filter((type) => incrementTypes?.includes(type) !== true);
}

function reasonOf({ status, steps }: CollectionReport): string {
  if (status === 'aborted') return 'the run was stopped';
  const failed = steps.find((step) => step.status === 'failed');
  return failed === undefined
    ? 'which types are incomplete is not known'
    : `${failed.id}: ${failed.reason ?? 'failed'}`;
}
