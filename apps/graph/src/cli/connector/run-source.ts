import type { ConnectorSummary, RunRecord } from '#graph/connector';

/** Where connectors run: in a server, or in this process over a data directory that no server holds. */
export interface RunSource {
  list(): Promise<readonly ConnectorSummary[]>;
  start(id: string, force: boolean): Promise<RunRecord>;
  get(runId: string): Promise<RunRecord>;
  /** Stops what runs in this process; a server goes on. */
  stop(): Promise<void>;
  close(): Promise<void>;
}
