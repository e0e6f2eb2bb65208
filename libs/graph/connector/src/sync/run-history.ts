/**
 * Durable history of runs. A run is stored before its first step and again when it has ended, so that an
 * issued id stays valid while the run is kept. Invariants:
 *
 * - a run stored without an end is running in this process, or its process has ended: opening the history
 *   marks it as `interrupted`;
 * - the last 50 ended runs of each connector are kept;
 * - a run that another process has ended writes nothing any more, neither its sync nor its own end: the
 *   document of the run is looked at in the turn of either.
 */
import { type DocumentKind, keptDocuments, type SharedDocuments } from '#graph/engine';
import { DomainError } from '#platform/foundation';
import { type ConnectorRunStatus, NOTHING_YET, type RunReport } from './connector-run.ts';
import type { SyncCounts } from './sync-target.port.ts';

/** The record of a run, in the form of REST. Times are RFC 3339 UTC with milliseconds. */
export interface RunRecord extends Omit<RunReport, 'status'> {
  /** The id of the run, and of its sync. */
  readonly run_id: string;
  readonly connector_id: string;
  readonly started_at: string;
  /** The end of the run; if it was interrupted, the time at which that was detected. */
  readonly ended_at: string | null;
  /** `interrupted`: the process ended before the run did. */
  readonly status: ConnectorRunStatus | 'interrupted';
}

export interface RunDocument {
  readonly id: string;
  /** JSON; `undefined` removes the document. */
  readonly value: unknown;
}

/** The storage of runs, by namespace and id. */
export interface RunDocuments extends SharedDocuments {
  /** All or nothing; resolves when durable. */
  change(
    namespace: string,
    changes: readonly RunDocument[],
    options: { readonly isBookkeeping: boolean },
  ): Promise<void>;
  /** `undefined` if it does not exist. */
  get(namespace: string, id: string): Promise<unknown>;
  /** All documents in the order of their ids. */
  all(namespace: string, idPrefix?: string): AsyncIterable<RunDocument>;
}

/** Receives ended runs: its changes are stored with the end; `keep` is called once they are durable. */
export abstract class RunListener {
  abstract runEnded(
    record: RunRecord,
    namespace: string,
  ): { readonly documents: readonly RunDocument[]; readonly keep: () => void };
}

/** Number of ended runs kept for each connector. */
export const RUNS_KEPT_MAX = 50;
export const NAMESPACE = 'connector';
const RUN_PREFIX = 'run/';

/** Leases by which one process at a time runs a connector. */
export interface RunLeases {
  /** Returns false while another process holds the lease. */
  hold(name: string): Promise<boolean>;
  release(name: string): Promise<void>;
}

export interface RunHistoryOptions {
  readonly documents: RunDocuments;
  readonly nowMs: () => number;
  /** The changes of a connector's last sync, by any run. */
  readonly lastSync: (connectorId: string) => SyncCounts | undefined;
  readonly leases: RunLeases;
}

/** All documents of runs. Texts of a run may quote its source; cursors are of the source. */
export const RUN_DOCUMENTS: readonly DocumentKind[] = [
  {
    namespace: NAMESPACE,
    prefix: RUN_PREFIX,
    noun: 'run of a connector',
    without: (value, erasure) => erasure.redacted(value),
  },
  keptDocuments(NAMESPACE, 'cursor/', 'place of a connector in its source'),
];

type RunKey = Pick<RunRecord, 'connector_id' | 'run_id'>;

export class RunHistory {
  readonly #options: RunHistoryOptions;
  readonly #documents: RunDocuments;
  #listener: RunListener | undefined;
  /** Ended runs by connector, oldest first. */
  #ended = new Map<string, readonly RunRecord[]>();
  /** The run without an end of each connector, of this process or another one, which may have ended. */
  #unended = new Map<string, RunRecord>();

  static async open(options: RunHistoryOptions): Promise<RunHistory> {
    const history = new RunHistory(options);
    await history.#read();
    const { documents, leases } = options;
    documents.onForeign(NAMESPACE, RUN_PREFIX, () => history.#read());
    for (const id of [...history.#unended.keys()]) {
      if (!(await leases.hold(leaseOf(id)))) continue;
      await history.#endInterrupted(id);
      await history.release(id);
    }
    return history;
  }

  private constructor(options: RunHistoryOptions) {
    this.#options = options;
    this.#documents = options.documents;
  }

  async #read(): Promise<void> {
    const ended = new Map<string, readonly RunRecord[]>();
    const unended = new Map<string, RunRecord>();
    for await (const { value } of this.#documents.all(NAMESPACE, RUN_PREFIX)) {
      // A run of an earlier release lacks the counts of later ones.
      const record = { ...NOTHING_YET, ...(value as RunRecord) };
      if (record.ended_at === null) unended.set(record.connector_id, record);
      else keep(ended, record);
    }
    this.#ended = ended;
    this.#unended = unended;
  }

  /** Acquires the connector before a run. Throws CONFLICT while another process holds it. */
  async claim(connectorId: string): Promise<void> {
    if (await this.#options.leases.hold(leaseOf(connectorId))) {
      await this.#endInterrupted(connectorId);
      return;
    }
    const details = { run_id: this.#unended.get(connectorId)?.run_id };
    throw new DomainError('CONFLICT', `connector ${connectorId} is running on another node`, { details });
  }

  /** Releases the connector after a run. */
  release(connectorId: string): Promise<void> {
    return this.#options.leases.release(leaseOf(connectorId));
  }

  /** If no other process runs the connector, marks its runs without an end as interrupted. */
  async #endInterrupted(connectorId: string): Promise<void> {
    const { lastSync, nowMs } = this.#options;
    await this.#documents.exclusively(async () => {
      // The other process may have stored the end of its run meanwhile.
      const stored = this.#unended.get(connectorId);
      if (stored === undefined) return;
      const record = interruptedRun(stored, nowMs(), lastSync(connectorId));
      await this.#documents.change(NAMESPACE, [documentOf(record)], { isBookkeeping: true });
      this.#unended.delete(connectorId);
      keep(this.#ended, record);
    });
  }

  /** A run of another process, as stored. */
  elsewhere(connectorId: string): RunRecord | undefined {
    return this.#unended.get(connectorId);
  }

  /** Newest first. */
  list(connectorId: string): readonly RunRecord[] {
    return this.#ended.get(connectorId)?.toReversed() ?? [];
  }

  find(runId: string): RunRecord | undefined {
    return [...this.#ended.values(), ...this.#unended.values()].flat().find(({ run_id: id }) => id === runId);
  }

  /** Stores what `listener` has to say about the end of each later run together with it. */
  onEnded(listener: RunListener): void {
    this.#listener = listener;
  }

  /** Resolves when the start of the run is durable. */
  async begin(record: RunRecord): Promise<void> {
    await this.#documents.change(NAMESPACE, [documentOf(record)], { isBookkeeping: true });
    this.#unended.set(record.connector_id, record);
  }

  /**
   * In the turn of a write of the run: whether it still has its connector. Another process that has acquired
   * the lease has ended it first, by a batch that is taken over before the turn.
   */
  isOpen({ connector_id: connectorId, run_id: runId }: RunKey): boolean {
    return this.#unended.get(connectorId)?.run_id === runId;
  }

  /** Resolves when durable; if it cannot be stored, this process still knows the run. */
  async end(record: RunRecord): Promise<void> {
    const end = { isOvertaken: false };
    try {
      await this.#documents.exclusively(async () => {
        end.isOvertaken = !this.isOpen(record);
        if (!end.isOvertaken) await this.#end(record);
      });
    } finally {
      if (!end.isOvertaken) {
        this.#unended.delete(record.connector_id);
        keep(this.#ended, record);
      }
    }
  }

  async #end(record: RunRecord): Promise<void> {
    const news = this.#listener?.runEnded(record, NAMESPACE);
    const kept = this.#ended.get(record.connector_id) ?? [];
    const dropped = kept.slice(0, Math.max(0, kept.length + 1 - RUNS_KEPT_MAX));
    const changes = [documentOf(record), ...dropped.map(removalOf), ...(news?.documents ?? [])];
    await this.#documents.change(NAMESPACE, changes, { isBookkeeping: true });
    news?.keep();
  }
}

function leaseOf(connectorId: string): string {
  return `connector ${connectorId}`;
}

/** The last runs of each connector. */
function keep(ended: Map<string, readonly RunRecord[]>, record: RunRecord): void {
  const others = (ended.get(record.connector_id) ?? []).filter(({ run_id: id }) => id !== record.run_id);
  ended.set(record.connector_id, [...others, record].slice(-RUNS_KEPT_MAX));
}

function interruptedRun(stored: RunRecord, nowMs: number, lastSync: SyncCounts | undefined): RunRecord {
  const sync = lastSync?.sync_id === stored.run_id ? lastSync : undefined;
  const ended = { ...stored, ended_at: new Date(nowMs).toISOString(), status: 'interrupted' as const };
  if (sync === undefined) return { ...ended, reason: 'the service ended before the run did' };
  return { ...ended, reason: 'the service ended right after the sync', sync };
}

/** The time prefix sorts documents by the start of the runs. */
function documentOf(record: RunRecord): RunDocument {
  return { id: `${RUN_PREFIX}${record.started_at}/${record.run_id}`, value: record };
}

function removalOf(record: RunRecord): RunDocument {
  return { ...documentOf(record), value: undefined };
}
