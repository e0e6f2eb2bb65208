/**
 * Runs that outlive the process. A run is stored before its first step and again when it has ended, so that
 * an id that was given away is known for as long as the run is kept. At any time:
 *
 * - what is stored without an end either runs in this process, or the process that ran it is gone: opening
 *   the history ends it as `interrupted`;
 * - of each connector the last 50 ended runs are kept.
 */
import type { RunReport, ConnectorRunStatus } from './connector-run.ts';
import type { SyncCounts } from './sync-target.port.ts';

/** A run by its name, in the words of REST. Times are RFC 3339 UTC with milliseconds. */
export interface RunRecord extends Omit<RunReport, 'status'> {
  /** The sync's id too. */
  readonly run_id: string;
  readonly connector_id: string;
  readonly started_at: string;
  /** Of an interrupted run, when that was found. */
  readonly ended_at: string | null;
  /** `interrupted`: the process ended before the run did. */
  readonly status: ConnectorRunStatus | 'interrupted';
}

export interface RunDocument {
  readonly id: string;
  /** JSON; `undefined` removes the document. */
  readonly value: unknown;
}

/** Where runs are kept, by namespace and id. */
export interface RunDocuments {
  /** All or nothing; resolves when durable. */
  change(namespace: string, changes: readonly RunDocument[]): Promise<void>;
  /** In id order. */
  all(namespace: string, idPrefix?: string): AsyncIterable<RunDocument>;
}

/** Hears how runs end: what it gives is stored with the end; `keep` is called once that is durable. */
export abstract class RunListener {
  abstract runEnded(
    record: RunRecord,
    namespace: string,
  ): { readonly documents: readonly RunDocument[]; readonly keep: () => void };
}

/** So many ended runs of each connector are kept. */
export const RUNS_KEPT_MAX = 50;
export const NAMESPACE = 'connector';
const RUN_PREFIX = 'run/';

export interface RunHistoryOptions {
  readonly documents: RunDocuments;
  readonly nowMs: number;
  /** What a connector's last sync changed, its run's or another's. */
  readonly lastSync: (connectorId: string) => SyncCounts | undefined;
  readonly listener: RunListener | undefined;
}

export class RunHistory {
  readonly #documents: RunDocuments;
  readonly #listener: RunListener | undefined;
  /** Ended ones, by connector; oldest first. */
  readonly #ended = new Map<string, readonly RunRecord[]>();

  static async open({ documents, nowMs, lastSync, listener }: RunHistoryOptions): Promise<RunHistory> {
    const history = new RunHistory(documents, listener);
    const interrupted: RunRecord[] = [];
    for await (const { value } of documents.all(NAMESPACE, RUN_PREFIX)) {
      const stored = value as RunRecord;
      const isOpen = stored.ended_at === null;
      const record = isOpen ? interruptedRun(stored, nowMs, lastSync(stored.connector_id)) : stored;
      if (isOpen) interrupted.push(record);
      history.#keep(record);
    }
    if (interrupted.length > 0) await documents.change(NAMESPACE, interrupted.map(documentOf));
    return history;
  }

  private constructor(documents: RunDocuments, listener: RunListener | undefined) {
    this.#documents = documents;
    this.#listener = listener;
  }

  /** Newest first. */
  list(connectorId: string): readonly RunRecord[] {
    return this.#ended.get(connectorId)?.toReversed() ?? [];
  }

  find(runId: string): RunRecord | undefined {
    return [...this.#ended.values()].flat().find(({ run_id: id }) => id === runId);
  }

  /** Resolves when the run will be known whatever happens. */
  async begin(record: RunRecord): Promise<void> {
    await this.#documents.change(NAMESPACE, [documentOf(record)]);
  }

  /** Resolves when durable; when it cannot be, the run is known in this process all the same. */
  async end(record: RunRecord): Promise<void> {
    const news = this.#listener?.runEnded(record, NAMESPACE);
    const kept = this.#ended.get(record.connector_id) ?? [];
    const dropped = kept.slice(0, Math.max(0, kept.length + 1 - RUNS_KEPT_MAX));
    try {
      const changes = [documentOf(record), ...dropped.map(removalOf), ...(news?.documents ?? [])];
      await this.#documents.change(NAMESPACE, changes);
    } finally {
      this.#keep(record);
    }
    news?.keep();
  }

  #keep(record: RunRecord): void {
    const kept = this.#ended.get(record.connector_id) ?? [];
    this.#ended.set(record.connector_id, [...kept, record].slice(-RUNS_KEPT_MAX));
  }
}

function interruptedRun(stored: RunRecord, nowMs: number, lastSync: SyncCounts | undefined): RunRecord {
  const sync = lastSync?.sync_id === stored.run_id ? lastSync : undefined;
  const ended = { ...stored, ended_at: new Date(nowMs).toISOString(), status: 'interrupted' as const };
  if (sync === undefined) return { ...ended, reason: 'the service ended before the run did' };
  return { ...ended, reason: 'the service ended right after the sync', sync };
}

/** The time in front sorts documents as the runs came. */
function documentOf(record: RunRecord): RunDocument {
  return { id: `${RUN_PREFIX}${record.started_at}/${record.run_id}`, value: record };
}

function removalOf(record: RunRecord): RunDocument {
  return { ...documentOf(record), value: undefined };
}
