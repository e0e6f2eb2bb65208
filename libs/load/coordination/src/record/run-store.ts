import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { TargetUrls } from '#load/scenario';
import { type Disk, isFullDisk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { parseRunRecord, type HiveRunRecord } from './run-record.ts';
import { SnapshotFile } from './snapshot-file.ts';

/** Space reserved for the final record of a run on a full disk. */
const BALLAST_BYTES = 262_144;
const BALLAST = 'ballast';
const RECORD = 'run.json';
const SCENARIO = 'scenario.yaml';
/** Secrets for a restarted hive, stored until the run ends, readable only by the owner of the process. */
const SECRETS = '.target-urls.json';
const RUN_ID = /^r-[a-z0-9-]{1,60}$/;
const ID_ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const SUFFIX_LENGTH = 6;

/** `r-20261121-141503-k3v9ax`: sorts by time, in UTC. */
export function newRunId(nowMs: number): string {
  const [date = '', time = ''] = new Date(nowMs).toISOString().split('T');
  const suffix = Array.from(randomBytes(SUFFIX_LENGTH), (byte) =>
    ID_ALPHABET.charAt(byte % ID_ALPHABET.length),
  );
  return `r-${date.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}-${suffix.join('')}`;
}

/** The runs on disk: `runs/{run_id}/`. */
export class RunStore {
  readonly #disk: Disk;
  readonly #directory: string;

  constructor(disk: Disk, dataDirectory: string) {
    this.#disk = disk;
    this.#directory = join(dataDirectory, 'runs');
  }

  directoryOf(runId: string): string {
    return join(this.#directory, runId);
  }

  /** Creates the directory of a new run with the text of its scenario, or none. Throws NO_DISK_SPACE. */
  async create(runId: string, scenarioText: string): Promise<RunFile> {
    const directory = this.directoryOf(runId);
    try {
      await this.#disk.makeDirectory(directory);
      await this.#disk.writeNew(join(directory, BALLAST), new Uint8Array(BALLAST_BYTES));
      await this.#disk.writeNew(join(directory, SCENARIO), new TextEncoder().encode(scenarioText));
      await this.#disk.syncDirectory(directory);
    } catch (cause) {
      await this.#disk.removeDirectory(directory);
      if (!isFullDisk(cause)) throw cause;
      throw new DomainError('NO_DISK_SPACE', 'the disk is full', { cause });
    }
    return this.fileOf(runId);
  }

  fileOf(runId: string): RunFile {
    return new RunFile(this.#disk, this.directoryOf(runId));
  }

  /** Removes all files of a run, the record first, so that the remains after a crash are not a run. */
  async remove(runId: string): Promise<void> {
    const directory = this.directoryOf(runId);
    await this.#disk.remove(join(directory, RECORD));
    await this.#disk.syncDirectory(directory);
    await this.#disk.removeDirectory(directory);
    await this.#disk.syncDirectory(this.#directory);
  }

  /**
   * All runs, in no particular order, without unreadable records, which are reported to `onDamage`. A
   * directory without a record belongs to a run that was not fully created or removed, and is skipped.
   */
  async readAll(onDamage: (runId: string, error: DomainError) => void): Promise<readonly HiveRunRecord[]> {
    const records: HiveRunRecord[] = [];
    for (const runId of await this.#runIds()) {
      try {
        const record = await this.fileOf(runId).read();
        if (record !== undefined) records.push(record);
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        onDamage(runId, error);
      }
    }
    return records;
  }

  async #runIds(): Promise<readonly string[]> {
    return (await this.#disk.directoriesIfThere(this.#directory)).filter((name) => RUN_ID.test(name));
  }
}

/** One run's `run.json`. */
export class RunFile {
  readonly #disk: Disk;
  readonly #directory: string;
  readonly #file: SnapshotFile;

  constructor(disk: Disk, directory: string) {
    this.#disk = disk;
    this.#directory = directory;
    this.#file = new SnapshotFile(disk, join(directory, RECORD));
  }

  /** Undefined without a record. Throws STORE_CORRUPT. */
  async read(): Promise<HiveRunRecord | undefined> {
    const text = await this.#file.read();
    return text === undefined ? undefined : parseRunRecord(text, RECORD);
  }

  /** Durable when it resolves. On a full disk it first removes the ballast, then throws NO_DISK_SPACE. */
  async save(record: () => HiveRunRecord): Promise<void> {
    const textOf = (): string => `${JSON.stringify(record(), null, 2)}\n`;
    try {
      await this.#file.save(textOf);
    } catch (error) {
      if (!(error instanceof DomainError) || !(await this.#dropBallast())) throw error;
      await this.#file.save(textOf);
    }
  }

  /** Stores URLs with secrets until the run has ended, readable only by the owner of the process. */
  async keepUrls(urls: TargetUrls): Promise<void> {
    const bytes = new TextEncoder().encode(JSON.stringify(urls));
    await this.#disk.createExclusive(join(this.#directory, SECRETS), bytes);
  }

  /** Undefined if none are stored. */
  async keptUrls(): Promise<TargetUrls | undefined> {
    return (await this.#disk.readJsonIfSound(join(this.#directory, SECRETS))) as TargetUrls | undefined;
  }

  /** Removes the ballast and the secrets after the final record. */
  async finish(): Promise<void> {
    await this.#disk.remove(join(this.#directory, SECRETS));
    await this.#dropBallast();
  }

  #dropBallast(): Promise<boolean> {
    return this.#disk.remove(join(this.#directory, BALLAST));
  }
}
