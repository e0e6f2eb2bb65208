import type { ConfiguredConnector, ConnectorRuns, RunRecord } from '#connector';
import { isMissingFile, NodeDisk } from '#disk';
import { Graph } from '#graph';
import { createConnectorRuns, readConnectors } from '../../connectors/connector-service.ts';
import { connectorList, type ConnectorSummary, summaryOf } from '../../http/connectors/connector-list.ts';
import type { GraphSettings } from '../../settings.ts';
import { HttpTarget } from '../target/http-target.ts';
import { commandLog } from '../target/open-target.ts';

/** Where connectors run: in a server, or in this process over a data directory that no server holds. */
export interface RunSource {
  list(): Promise<readonly ConnectorSummary[]>;
  start(id: string, force: boolean): Promise<RunRecord>;
  get(runId: string): Promise<RunRecord>;
  /** Stops what runs in this process; a server goes on. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** The server that the settings name, else the data directory. */
export async function openRunSource(settings: GraphSettings): Promise<RunSource> {
  if (settings.url !== '') return new ServerRuns(new HttpTarget(settings.url, settings.apiKey));
  const connectors = await readConnectors(settings.connectors);
  return new LocalRuns(settings, connectors);
}

class ServerRuns implements RunSource {
  readonly #server: HttpTarget;

  constructor(server: HttpTarget) {
    this.#server = server;
  }

  async list(): Promise<readonly ConnectorSummary[]> {
    const body = await this.#server.get<{ connectors: readonly ConnectorSummary[] }>('/v1/connectors');
    return body.connectors;
  }

  start(id: string, force: boolean): Promise<RunRecord> {
    return this.#server.post<RunRecord>(`/v1/connectors/${encodeURIComponent(id)}/run`, { force });
  }

  get(runId: string): Promise<RunRecord> {
    return this.#server.get<RunRecord>(`/v1/connectors/runs/${runId}`);
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Opens the graph when it is first needed: a list alone makes no store. */
class LocalRuns implements RunSource {
  readonly #settings: GraphSettings;
  readonly #connectors: readonly ConfiguredConnector[];
  #graph: Graph | undefined;
  #runs: ConnectorRuns | undefined;

  constructor(settings: GraphSettings, connectors: readonly ConfiguredConnector[]) {
    this.#settings = settings;
    this.#connectors = connectors;
  }

  async list(): Promise<readonly ConnectorSummary[]> {
    if (!(await this.#hasStore())) {
      return this.#connectors.map((connector) => summaryOf(connector, undefined, undefined));
    }
    const { runs, graph } = await this.#open();
    return connectorList(runs, graph);
  }

  async start(id: string, force: boolean): Promise<RunRecord> {
    const { runs } = await this.#open();
    return runs.start(id, { force });
  }

  async get(runId: string): Promise<RunRecord> {
    const { runs } = await this.#open();
    return runs.get(runId);
  }

  async stop(): Promise<void> {
    await this.#runs?.stop();
  }

  async close(): Promise<void> {
    await this.stop();
    await this.#graph?.close();
  }

  async #hasStore(): Promise<boolean> {
    try {
      await new NodeDisk().list(this.#settings.dataDir);
      return true;
    } catch (error) {
      if (isMissingFile(error)) return false;
      throw error;
    }
  }

  async #open(): Promise<{ runs: ConnectorRuns; graph: Graph }> {
    const log = commandLog(this.#settings);
    const { dataDir: directory, retention: retentionMs } = this.#settings;
    this.#graph ??= await Graph.open({ directory, disk: new NodeDisk(), retentionMs, log });
    this.#runs ??= await createConnectorRuns(this.#graph, this.#connectors, log);
    return { runs: this.#runs, graph: this.#graph };
  }
}
