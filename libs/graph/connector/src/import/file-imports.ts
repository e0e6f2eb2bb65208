import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { SharedDocuments } from '#graph/engine';
import type { Disk } from '#platform/disk';
import { DomainError, Turns } from '#platform/foundation';
import type { ConnectorType } from '../config/connector-type.ts';
import { connectorIdFault, readConnector } from '../config/read-connector.ts';
import type { GraphEntities } from '../run/graph-entities.port.ts';
import { systemRunClock } from '../run/run-clock.ts';
import type { StepLog } from '../run/step.ts';
import { type RunReport, syncConnector } from '../sync/connector-run.ts';
import { ConnectorSync } from '../sync/connector-sync.ts';
import type { RunDocument, RunRecord } from '../sync/run-history.ts';
import type { SyncTarget } from '../sync/sync-target.port.ts';
import { exactText } from '../connectors/document/flat-properties.ts';
import type { WrittenMapping } from '../connectors/table/record-mapping.ts';
import type { SourceRow } from '../connectors/table/source-row.ts';
import { columnsOf, guessedMapping } from './guessed-mapping.ts';
import { type ImportConfig, importConfig, type ImportSource } from './import-source.ts';
import { KnownKeys, type TypesByKey } from './known-keys.ts';
import { type RecognizedFile, recognizedFile } from './recognized-file.ts';
import { firstRows } from './first-rows.ts';

/** The storage of import sources. */
export interface ImportDocuments extends SharedDocuments {
  /** Resolves when the sources that other nodes have imported are here. Throws STORE_UNAVAILABLE. */
  upToDate(): Promise<void>;
  change(namespace: string, changes: readonly RunDocument[]): Promise<void>;
  all(namespace: string): AsyncIterable<RunDocument>;
}

export interface FileImportsOptions {
  readonly documents: ImportDocuments;
  readonly targetOf: (dryRun: boolean) => SyncTarget;
  readonly graph: GraphEntities;
  /** The types of live entities with these keys. */
  readonly typesOfKeys: (keys: readonly string[]) => Promise<TypesByKey>;
  /** Deletes what a source has stated. */
  readonly forget: (sourceId: string) => Promise<unknown>;
  /** The connectors that read from a disk. */
  readonly typesOf: (disk: Disk) => readonly ConnectorType[];
  /** Whether a configured connector has this id. */
  readonly isConfigured: (id: string) => boolean;
  readonly log: StepLog & { error(fields: object, message: string): void };
}

export interface ImportOrder {
  readonly disk: Disk;
  readonly path: string;
  /** As people know it; undefined for a pasted text. */
  readonly fileName: string | undefined;
  /** Default: by the name of the file. */
  readonly source?: string | undefined;
  /** Default: that of the source, else a guess; so is a mapping that it lacks. */
  readonly config?: unknown;
  readonly dryRun?: boolean | undefined;
  /** Disables the deletion limit, and permits a source without entities. */
  readonly force?: boolean | undefined;
  readonly onProgress?: ((report: () => RunReport) => void) | undefined;
}

export interface ImportReply {
  readonly source: string;
  /** Whether it was imported before. */
  readonly is_known: boolean;
  readonly connector: string;
  readonly format: string;
  readonly dry_run: boolean;
  readonly config: ImportConfig;
  /** Of a table. */
  readonly columns: readonly string[];
  /** Values of the first rows, in the order of the columns; null if absent. */
  readonly sample: readonly (readonly (string | null)[])[];
  readonly run: RunRecord;
}

const NAMESPACE = 'import';
const SOURCES_MAX = 1_000;
const WAITING_MAX = 8;
const SAMPLE_ROWS = 5;
const SAMPLE_CHARACTERS = 200;

/** Imports of files by people, as sources that can be imported again with a new file. One at a time. */
export class FileImports {
  readonly #options: FileImportsOptions;
  readonly #turns = new Turns(WAITING_MAX);
  #sources: ReadonlyMap<string, ImportSource> = new Map();

  static async open(options: FileImportsOptions): Promise<FileImports> {
    const imports = new FileImports(options);
    await imports.#read();
    options.documents.onForeign(NAMESPACE, '', () => imports.#read());
    return imports;
  }

  private constructor(options: FileImportsOptions) {
    this.#options = options;
  }

  /** By id. */
  list(): readonly ImportSource[] {
    return [...this.#sources.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /**
   * Recognizes a file and syncs it as the whole content of its source; a dry run changes nothing. Throws
   * INVALID_REQUEST for a file of no known form, and CONFLICT for a source of another kind. What is wrong
   * with the content is in the run.
   */
  run(order: ImportOrder): Promise<ImportReply> {
    return this.#turns.run(() => this.#run(order));
  }

  /** Deletes a source with all that it has stated. Throws NOT_FOUND. */
  remove(id: string): Promise<void> {
    return this.#turns.run(async () => {
      if (!this.#sources.has(id)) throw new DomainError('NOT_FOUND', 'no such import source');
      await this.#options.forget(id);
      await this.#change(id, undefined);
    });
  }

  async #run(order: ImportOrder): Promise<ImportReply> {
    const { disk, path, fileName, dryRun = false } = order;
    const source = this.#sourceId(order);
    // Another node may have imported it a moment ago: the file would replace all that it has stated.
    if (!this.#sources.has(source)) await this.#options.documents.upToDate();
    const known = this.#sources.get(source);
    const form = await recognizedFile(disk, path, recordsOf(order, known));
    if (known !== undefined && known.connector !== form.connector) {
      const message = `${source} has ${known.format}, got ${form.format}: name another source`;
      throw new DomainError('CONFLICT', message);
    }
    const { config, columns, sample } = await this.#configOf(order, form, known);
    const run = await this.#sync(source, { order, form, config });
    const { status } = run;
    if (!dryRun && (status === 'complete' || status === 'partial')) {
      const { connector, format } = form;
      const kept = { id: source, connector, format, config, file_name: fileName ?? null };
      await this.#change(source, { ...kept, imported_at: run.started_at, status });
    }
    const isKnown = known !== undefined;
    const facts = { connector: form.connector, format: form.format, config, columns, sample };
    return { source, is_known: isKnown, dry_run: dryRun, ...facts, run };
  }

  /** Throws INVALID_REQUEST, and CONFLICT for the id of a connector. */
  #sourceId({ source, fileName }: ImportOrder): string {
    const id = source ?? idOf(fileName ?? 'import');
    const fault = connectorIdFault(id);
    if (fault !== undefined)
      throw new DomainError('INVALID_REQUEST', `source: ${fault}`, { details: { field: 'source' } });
    if (this.#options.isConfigured(id))
      throw new DomainError('CONFLICT', `source: ${id} is a connector; name another source`);
    return id;
  }

  async #configOf(
    { disk, path, fileName, source, config: given }: ImportOrder,
    form: RecognizedFile,
    known: ImportSource | undefined,
  ): Promise<Pick<ImportReply, 'config' | 'columns' | 'sample'>> {
    const checked = given === undefined ? undefined : importConfig(given);
    const isTable = form.connector === 'csv' || form.connector === 'json';
    if (!isTable) {
      if (checked !== undefined && Object.keys(checked).length > 0)
        throw new DomainError('INVALID_REQUEST', `config: expected none for ${form.format}`);
      return { config: {}, columns: [], sample: [] };
    }
    const { records } = form;
    const config = { ...(records !== undefined && { records }), ...configIn(checked, known?.config) };
    const rows = await firstRows(disk, path, form.connector === 'csv' ? { csv: config } : { json: config });
    const columns = columnsOf(rows);
    if (columns.length === 0)
      throw new DomainError('INVALID_REQUEST', 'expected records with values, got none');
    const sample = rows.slice(0, SAMPLE_ROWS).map((row) => columns.map((name) => shown(row.value(name))));
    const mapping = config.mapping ?? (await this.#guess(rows, columns, [fileName, source]));
    return { config: { ...config, mapping }, columns, sample };
  }

  async #guess(
    rows: readonly SourceRow[],
    columns: readonly string[],
    names: readonly (string | undefined)[],
  ): Promise<WrittenMapping> {
    const known = await KnownKeys.of(rows, columns, this.#options.typesOfKeys);
    return guessedMapping(
      rows,
      names.filter((name) => name !== undefined),
      known,
    );
  }

  async #sync(
    id: string,
    {
      order,
      form,
      config,
    }: { readonly order: ImportOrder; readonly form: RecognizedFile; readonly config: object },
  ): Promise<RunRecord> {
    const { disk, path, dryRun = false, force = false, onProgress } = order;
    const { targetOf, graph, typesOf, log } = this.#options;
    const given = { ...config, file: path, allow_empty: force };
    const text = JSON.stringify({ id, connector: form.connector, config: given });
    const connector = readConnector(text, `/import/${id}`, { types: typesOf(disk), environment: {} });
    const startedAt = new Date(systemRunClock.nowMs()).toISOString();
    const runId = randomUUID();
    const report = await syncConnector({
      connector,
      syncId: runId,
      sync: new ConnectorSync(targetOf(dryRun), graph),
      cursors: { namespace: NAMESPACE, stored: undefined, isAnew: true },
      force,
      options: { log },
      ...(onProgress && { onProgress }),
    });
    const endedAt = new Date(systemRunClock.nowMs()).toISOString();
    return { run_id: runId, connector_id: id, started_at: startedAt, ended_at: endedAt, ...report };
  }

  #change(id: string, value: ImportSource | undefined): Promise<void> {
    const { documents } = this.#options;
    return documents.exclusively(async () => {
      const next = new Map(this.#sources);
      if (value === undefined) next.delete(id);
      else next.set(id, value);
      if (next.size > SOURCES_MAX)
        throw new DomainError('CONFLICT', `expected at most ${SOURCES_MAX} import sources: delete one`);
      await documents.change(NAMESPACE, [{ id, value }]);
      this.#sources = next;
    });
  }

  async #read(): Promise<void> {
    const sources = new Map<string, ImportSource>();
    for await (const { id, value } of this.#options.documents.all(NAMESPACE))
      sources.set(id, { status: 'unknown', ...(value as Omit<ImportSource, 'status'>) });
    this.#sources = sources;
  }
}

/** What is given, with the mapping of the source unless it has one. */
function configIn(given: ImportConfig | undefined, known: ImportConfig = {}): ImportConfig {
  const { mapping } = known;
  return given === undefined ? known : { ...(mapping !== undefined && { mapping }), ...given };
}

function recordsOf({ config }: ImportOrder, known: ImportSource | undefined): string | undefined {
  return config === undefined ? known?.config.records : importConfig(config).records;
}

/** `Hosts 2026.csv` is `hosts-2026`. */
function idOf(fileName: string): string {
  const name = basename(fileName)
    .toLowerCase()
    .replace(/\.[a-z0-9]+$/, '');
  return name.replaceAll(/[^a-z0-9._-]+/g, '-').replaceAll(/^[^a-z0-9]+|-+$/g, '') || 'import';
}

function shown(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return (typeof value === 'string' ? value : exactText(value)).slice(0, SAMPLE_CHARACTERS);
}
