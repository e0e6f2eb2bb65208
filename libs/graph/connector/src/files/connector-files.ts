/**
 * The connector files of a directory while the service runs. The files are the truth: what is edited over
 * HTTP is written to them and then read like the rest. Invariants:
 *
 * - a faulty file changes nothing: its connector of before goes on, and is shown as stale with the fault;
 * - a directory that cannot be read changes nothing; a file that is gone takes its connector along, and the
 *   data of that connector stays as it was synced last;
 * - a run in progress ends with the settings with which it began.
 *
 * ADR 0550 says why they are changed only when asked, and one at a time.
 */
import { basename, join } from 'node:path';
import type { AuditedChange } from '#platform/audit';
import { type Disk, DiskError, isFullDisk } from '#platform/disk';
import { YamlDocument } from '#platform/config';
import { DomainError, Turns } from '#platform/foundation';
import { failureMessage } from '../run/report-text.ts';
import type { LoadedModule } from '../config/connector-module.ts';
import { connectorAgain, type LoadOptions, moduleNameIn } from '../config/load-connectors.ts';
import type { ConnectorSchedules } from '../sync/connector-schedules.ts';
import {
  checkConnector,
  type ConnectorCheck,
  type PlacedConnectorFault,
  placedFault,
} from './check-connector.ts';
import { ConnectorDirectory, type Precondition, type TaggedText } from './connector-directory.ts';
import { mayBeShown } from './literal-secrets.ts';
import { type ReadFile, settledFiles } from './settled-files.ts';

export interface ConnectorFile {
  readonly name: string;
  /** The connector in use that it configures. */
  readonly connector_id: string | null;
  /** Of a faulty file: `stale` while its settings of before are in use, `faulty` if nothing of it is. */
  readonly state: 'current' | 'stale' | 'faulty';
  readonly fault: PlacedConnectorFault | null;
}

export interface ConnectorFilesOptions {
  readonly disk: Disk;
  /** Empty: there are no files. */
  readonly directory: string;
  readonly isEditable: boolean;
  readonly loading: Omit<LoadOptions, 'module'>;
  /** Variables that no connector edited over HTTP may read. */
  readonly ownSecrets: readonly string[];
  readonly schedules: ConnectorSchedules;
  readonly audit: { change(change: AuditedChange): void } | undefined;
}

const WAITING_MAX = 16;

export class ConnectorFiles {
  readonly #options: ConnectorFilesOptions;
  readonly #directory: ConnectorDirectory;
  readonly #turns = new Turns(WAITING_MAX);
  #files: readonly ReadFile[];
  #fault: string | undefined;

  /** The connectors of the runs are those of the files as they were read at the start. */
  constructor(options: ConnectorFilesOptions) {
    this.#options = options;
    this.#directory = new ConnectorDirectory(options.disk, options.directory);
    this.#files = options.schedules.runs.connectors.map((connector) => ({
      name: basename(connector.file),
      connector,
      fault: undefined,
    }));
  }

  get isEditable(): boolean {
    return this.#options.isEditable;
  }

  /** Why the directory could not be read last. */
  get fault(): string | undefined {
    return this.#fault;
  }

  list(): readonly ConnectorFile[] {
    return this.#files.map(shown);
  }

  /** Number of files whose content is not in use; all of them if the directory cannot be read. */
  get faultyCount(): number {
    if (this.#fault !== undefined) return this.#files.length;
    return this.#files.filter(({ fault }) => fault !== undefined).length;
  }

  /** The file of a connector in use; undefined for one that has none. */
  fileOf(connectorId: string): ConnectorFile | undefined {
    const found = this.#files.find(({ connector }) => connector?.id === connectorId);
    return found && shown(found);
  }

  /** Reads the files again. Throws NOT_SUPPORTED without a directory, STORE_UNAVAILABLE without its audit. */
  reload(): Promise<readonly ConnectorFile[]> {
    return this.#turns.run(async () => {
      this.#requireDirectory();
      await this.#readAgain();
      return this.list();
    });
  }

  /** Throws like `ConnectorDirectory.read`, and CONFLICT for a file with a secret in it. */
  async read(name: string): Promise<TaggedText> {
    this.#requireDirectory();
    const found = await this.#directory.read(name).catch(rethrown);
    if (mayBeShown(found.text, this.#options.loading.environment)) return found;
    throw new DomainError('CONFLICT', `${name} holds a secret, and is not shown: edit it on its machine`);
  }

  /** All faults of a text that is meant for a file. Throws INVALID_REQUEST for a bad name. */
  async check(name: string, text: string): Promise<ConnectorCheck> {
    this.#requireDirectory();
    const file = this.#directory.pathOf(name);
    const { loading, ownSecrets } = this.#options;
    const named = moduleNamed(text, file);
    const module = named === undefined ? undefined : await this.#knownModule(name, named);
    if (named !== undefined && module === undefined) return faultAt('connector', MODULE_EXPECTED, text);
    const check = checkConnector(text, { ...loading, file, module, ownSecrets });
    const id = check.connector?.id;
    const other = this.#files.find((each) => each.name !== name && each.connector?.id === id);
    if (id === undefined || other === undefined) return check;
    return faultAt('id', `the id ${id} is taken by ${other.name}`, text);
  }

  /** Throws NOT_SUPPORTED if files are not editable, INVALID_REQUEST with all faults of the text. */
  write(name: string, text: string, expected: Precondition): Promise<ConnectorFile> {
    return this.#change(async () => {
      const { faults } = await this.check(name, text);
      const [first] = faults;
      if (first !== undefined) {
        const at = first.line === null ? '' : `:${first.line}:${first.column ?? 1}`;
        const rest = faults.length > 1 ? `, and ${faults.length - 1} more` : '';
        throw new DomainError('INVALID_REQUEST', `${name}${at}: ${first.message}${rest}`, {
          details: { faults },
        });
      }
      await this.#directory.write(name, text, expected, () => this.#say(name));
      await this.#readAgain();
      const found = this.#files.find((each) => each.name === name);
      if (found === undefined) throw new DomainError('CONFLICT', `${name} has been removed meanwhile`);
      return shown(found);
    });
  }

  /** Its connector goes; what it has synced stays. Throws like `write`. */
  remove(name: string, etag: string): Promise<void> {
    return this.#change(async () => {
      await this.#directory.remove(name, etag, () => this.#say(name));
      await this.#readAgain();
    });
  }

  #change<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.run(async () => {
      this.#requireDirectory();
      if (!this.isEditable)
        throw new DomainError(
          'NOT_SUPPORTED',
          'connector files are not changed over HTTP: start the service with --connectors-editable',
        );
      return work().catch(rethrown);
    });
  }

  #requireDirectory(): void {
    if (this.#options.directory === '')
      throw new DomainError(
        'NOT_SUPPORTED',
        'there are no connector files: start the service with --connectors <dir>',
      );
  }

  #say(name: string): void {
    this.#options.audit?.change({ target: `connector file ${name}`, counts: { files: 1 } });
  }

  /** The module of a file is run as far as the file on the machine names it already. */
  async #knownModule(name: string, named: string): Promise<LoadedModule | undefined> {
    const file = this.#directory.pathOf(name);
    const before = await this.#directory.read(name).catch(() => undefined);
    if (before === undefined || moduleNamed(before.text, file) !== named) return undefined;
    const type = this.#files.find((each) => each.name === name)?.connector?.type;
    return type && { type };
  }

  async #readAgain(): Promise<void> {
    const { directory, loading, audit } = this.#options;
    const { log } = loading;
    let names: readonly string[];
    try {
      names = await this.#directory.names();
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      this.#fault = `cannot read the directory of connector files: ${error.code}`;
      log.warn(
        { event: 'connector.files_unreadable', directory, reason: error.code },
        'connectors unchanged',
      );
      return;
    }
    const read: ReadFile[] = [];
    for (const name of names) read.push(await this.#readFile(name));
    const files = settledFiles(read, this.#files);
    const faulty = files.filter(({ fault }) => fault !== undefined);
    audit?.change({ target: 'connector files', counts: { files: files.length, faulty: faulty.length } });
    this.#fault = undefined;
    this.#use(files);
    for (const { name, fault, connector } of faulty) {
      const fields = {
        event: 'connector.file_faulty',
        file: name,
        reason: fault?.message,
        isStale: connector !== undefined,
      };
      log.warn(fields, 'connector file faulty: its connector of before is unchanged');
    }
    const counts = { files: files.length, faulty: faulty.length };
    log.info({ event: 'connector.files_read', directory, ...counts }, 'connector files read');
  }

  async #readFile(name: string): Promise<ReadFile> {
    const { disk, loading } = this.#options;
    const file = join(this.#options.directory, name);
    try {
      const connector = await connectorAgain(await disk.readText(file), { file, disk }, loading);
      return { name, connector, fault: undefined };
    } catch (error) {
      if (error instanceof DomainError)
        return { name, connector: undefined, fault: placedFault(error, file) };
      if (!(error instanceof DiskError)) throw error;
      const fault = { line: null, column: null, message: failureMessage(error, []) };
      return { name, connector: undefined, fault };
    }
  }

  #use(files: readonly ReadFile[]): void {
    this.#files = files;
    const inUse = files.flatMap(({ connector }) => connector ?? []);
    this.#options.schedules.configure(inUse.sort((a, b) => (a.id < b.id ? -1 : 1)));
  }
}

const MODULE_EXPECTED =
  'expected a connector of the product: a module is code, and is named by a file that is written on its machine';

function shown({ name, connector, fault }: ReadFile): ConnectorFile {
  const state = fault === undefined ? 'current' : connector === undefined ? 'faulty' : 'stale';
  return { name, connector_id: connector?.id ?? null, state, fault: fault ?? null };
}

/** Undefined for YAML that is invalid as well: its fault is found by the check. */
function moduleNamed(text: string, file: string): string | undefined {
  try {
    return moduleNameIn(text, file);
  } catch (error) {
    if (error instanceof DomainError) return undefined;
    throw error;
  }
}

/** A fault of a text that is valid in itself. */
function faultAt(key: string, message: string, text: string): ConnectorCheck {
  const place = YamlDocument.parse(text, '').placeOf([key]);
  return { connector: undefined, faults: [{ ...place, message: `${key}: ${message}` }], warnings: [] };
}

/** What the disk refuses is not a fault of the service. */
function rethrown(error: unknown): never {
  if (error instanceof DiskError) {
    const message = `cannot ${error.operation} in the directory of connector files: ${error.code}`;
    throw new DomainError(isFullDisk(error) ? 'NO_DISK_SPACE' : 'STORE_UNAVAILABLE', message, {
      cause: error,
    });
  }
  // A file that is not UTF-8.
  if (error instanceof DomainError && error.code === 'INVALID_CONFIG')
    throw new DomainError('CONFLICT', 'the file is not UTF-8: edit it on its machine', { cause: error });
  throw error;
}
