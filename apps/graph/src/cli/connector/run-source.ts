import type { ConnectorSummary, RunRecord } from '#graph/connector';

/** Where connectors run: on a server, or in this process over an unlocked data directory. */
export interface RunSource {
  list(): Promise<readonly ConnectorSummary[]>;
  start(id: string, force: boolean): Promise<RunRecord>;
  get(runId: string): Promise<RunRecord>;
  /** Stops one run, and returns its end. */
  cancel(runId: string): Promise<RunRecord>;
  /** Stops runs in this process; a server's runs continue. */
  stop(): Promise<void>;
  close(): Promise<void>;
}
