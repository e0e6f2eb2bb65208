import {
  type ConfiguredConnector,
  ConnectorRuns,
  NoEntities,
  type RunDocument,
  type RunDocuments,
  type RunRecord,
  type SyncContent,
  type SyncCounts,
  SyncTarget,
} from '#graph/connector';
import { UNSHARED } from '#graph/engine';
import { chunks } from '#platform/foundation';
import type { GraphSettings } from '../../settings.ts';
import { commandLog } from '../target/command-log.ts';
import { HttpTarget } from '../target/http-target.ts';
import type { RunSource } from './run-source.ts';

const BATCH_RECORDS = 2_000;

/** Runs in this process whose result is sent to the server of the settings, as a session. */
export async function sendingRunsOf(
  settings: GraphSettings,
  connectors: readonly ConfiguredConnector[],
): Promise<RunSource> {
  const runs = await ConnectorRuns.open({
    connectors,
    target: new ServerTarget(new HttpTarget(settings)),
    // Mappings need the server's graph; a machine has none.
    graph: new NoEntities(),
    documents: new PassingDocuments(),
    log: commandLog(settings),
  });
  return new SendingRuns(runs);
}

class SendingRuns implements RunSource {
  readonly #runs: ConnectorRuns;

  constructor(runs: ConnectorRuns) {
    this.#runs = runs;
  }

  list(): Promise<readonly never[]> {
    return Promise.resolve([]);
  }

  start(id: string, force: boolean): Promise<RunRecord> {
    return this.#runs.start(id, { force });
  }

  async get(runId: string): Promise<RunRecord> {
    return this.#runs.get(runId);
  }

  cancel(runId: string): Promise<RunRecord> {
    return this.#runs.cancel(runId);
  }

  stop(): Promise<void> {
    return this.#runs.stop();
  }

  close(): Promise<void> {
    return this.#runs.stop();
  }
}

class ServerTarget extends SyncTarget {
  readonly #server: HttpTarget;

  constructor(server: HttpTarget) {
    super();
    this.#server = server;
  }

  override async sync(content: SyncContent): Promise<SyncCounts> {
    const { connectorId, syncId, priority, force } = content;
    const opened = await this.#server.post<{ readonly session_id: string }>('/v1/ingest/sessions', {
      connector_id: connectorId,
      sync_id: syncId,
      priority,
      partial_types: content.partialTypes(),
      partial_relationships: content.partialRelationships,
    });
    const path = `/v1/ingest/sessions/${opened.session_id}`;
    let number = 0;
    for (const batch of chunks(content.entities(), BATCH_RECORDS)) {
      const entities = batch.map(({ type, key, class: name, displayName, labels, properties }) => {
        return { type, key, class: name, display_name: displayName, labels, properties };
      });
      await this.#server.put(`${path}/batches/${++number}`, { entities, relationships: [] });
    }
    for (const batch of chunks(content.relationships(), BATCH_RECORDS))
      await this.#server.put(`${path}/batches/${++number}`, { entities: [], relationships: batch });
    return this.#server.post<SyncCounts>(`${path}/commit?on_dangling=skip`, { force });
  }

  override lastSync(): undefined {
    return undefined;
  }
}

/** The run is known as long as this process. */
class PassingDocuments implements RunDocuments {
  readonly exclusively = UNSHARED.exclusively;
  readonly onForeign = UNSHARED.onForeign;
  readonly change = (): Promise<void> => Promise.resolve();
  readonly get = (): Promise<undefined> => Promise.resolve(undefined);

  async *all(): AsyncIterable<RunDocument> {
    // None.
  }
}
