import {
  type ConfiguredConnector,
  connectorList,
  type ConnectorRuns,
  type ConnectorSummary,
  createConnectorRuns,
  readConnectors,
  type RunRecord,
  summaryOf,
} from '#graph/connector';
import { Graph } from '#graph/engine';
import { readEnvironment } from '#platform/config';
import { isMissingFile, NodeDisk } from '#platform/disk';
import { type GraphSettings, retentionOf } from '../../settings.ts';
import { commandLog } from '../target/command-log.ts';
import type { RunSource } from './run-source.ts';

/** Runs in this process, over the connector files and the data directory of the settings. */
export async function openLocalRuns(settings: GraphSettings): Promise<RunSource> {
  const options = { environment: readEnvironment(), log: commandLog(settings) };
  return localRunsOf(settings, await readConnectors(settings.connectors, new NodeDisk(), options));
}

/** Runs in this process of the given connectors. */
export function localRunsOf(settings: GraphSettings, connectors: readonly ConfiguredConnector[]): RunSource {
  return new LocalRuns(settings, connectors);
}

/** Opens the graph on first use: listing connectors creates no store. */
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

  async cancel(runId: string): Promise<RunRecord> {
    const { runs } = await this.#open();
    return runs.cancel(runId);
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
    const { dataDir: directory } = this.#settings;
    const kept = retentionOf(this.#settings);
    this.#graph ??= await Graph.open({ directory, disk: new NodeDisk(), ...kept, log });
    this.#runs ??= await createConnectorRuns(this.#graph, this.#connectors, log);
    return { runs: this.#runs, graph: this.#graph };
  }
}
