import { actingAs, type AuditedChange, type AuditTrail, PROGRAM } from '#platform/audit';
import { isMissingFile, type Disk, DiskError } from '#platform/disk';
import { DomainError, type Resources, type Secret } from '#platform/foundation';
import type { EventLog } from './event-log.ts';
import { changesOfKeys } from './keys-changes.ts';
import { Keyring } from './keyring.ts';
import { type KeysDocument, parseKeys } from './keys-document.ts';
import { KeyUses } from './key-uses.ts';
import type { AccessModel } from './permission.ts';

const LOOK_MS = 2_000;
const KEEP_USES_MS = 60_000;

export interface KeysFileOptions {
  readonly disk: Disk;
  readonly path: string;
  readonly model: AccessModel;
  /** The single key that is valid beside those of the file. */
  readonly apiKey: Secret | undefined;
}

type KeysAudit = Pick<AuditTrail, 'change'>;

/** The file has no signature: who has edited it is not known. */
const EDITOR = { ...PROGRAM, what: 'keys file' };

/** A keys file in use: read again when it changes, while a bad one keeps the last good one. */
export class KeysFile {
  readonly keyring: Keyring;
  readonly #options: KeysFileOptions;
  readonly #uses: KeyUses;
  #text: string;
  #named: KeysDocument;
  #audit: KeysAudit | undefined;
  /** The fault of the last reading, so that each is reported once. */
  #fault: string | undefined;
  #reading: Promise<void> = Promise.resolve();
  #timers: readonly NodeJS.Timeout[] = [];

  /** Throws INVALID_CONFIG for a file that cannot be read or has a fault. */
  static async open(options: KeysFileOptions): Promise<KeysFile> {
    const { disk, path, model } = options;
    const text = await readKeys(disk, path);
    return new KeysFile(options, text, parseKeys(text, path, model));
  }

  private constructor(options: KeysFileOptions, text: string, named: KeysDocument) {
    this.#options = options;
    this.#text = text;
    this.#named = named;
    this.keyring = new Keyring({ apiKey: options.apiKey, named });
    this.#uses = new KeyUses(options.disk, options.path, this.keyring);
  }

  /**
   * Until the program ends, reads the file when it changes, and keeps when each key was last used. Each
   * change of the keys is in the audit trail before it is in force.
   */
  async watch(resources: Resources, log: EventLog, audit?: KeysAudit): Promise<void> {
    this.#audit = audit;
    const { keys } = this.#named;
    this.#tell([{ target: 'keys at the start', counts: { keys: keys.length } }]);
    await resources.open(
      () => this.#begin(log),
      () => this.#end(log),
    );
  }

  #begin(log: EventLog): void {
    this.#timers = [
      setInterval(() => void this.reload(log), LOOK_MS).unref(),
      setInterval(() => void this.#uses.keep(log), KEEP_USES_MS).unref(),
    ];
  }

  async #end(log: EventLog): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.#reading;
    await this.#uses.keep(log);
  }

  /** Throws STORE_UNAVAILABLE where the trail cannot be written: then the keys stay as they are. */
  #tell(changes: readonly AuditedChange[]): void {
    actingAs(EDITOR, () => {
      for (const change of changes) this.#audit?.change(change);
    });
  }

  /** Reads the file now. A fault is logged, and the keys stay as they are. */
  reload(log: EventLog): Promise<void> {
    this.#reading = this.#reading.then(() => this.#read(log));
    return this.#reading;
  }

  async #read(log: EventLog): Promise<void> {
    const { disk, path, model } = this.#options;
    try {
      const text = await readKeys(disk, path);
      if (text === this.#text && this.#fault === undefined) return;
      const named = parseKeys(text, path, model);
      this.#tell(changesOfKeys(this.#named, named));
      this.keyring.use(named);
      this.#text = text;
      this.#named = named;
      this.#fault = undefined;
      log.info({ event: 'keys.loaded', keys: named.keys.length }, 'keys file loaded');
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (error.message !== this.#fault)
        log.error(
          { event: 'keys.refused', reason: error.message },
          'keys file refused: the last good one stays in force',
        );
      this.#fault = error.message;
    }
  }
}

/** The keys file of the settings; undefined where there is none. Throws INVALID_CONFIG. */
export function openKeys(options: KeysFileOptions): Promise<KeysFile> | undefined {
  return options.path === '' ? undefined : KeysFile.open(options);
}

/** Throws INVALID_CONFIG, also for a pipe: the file is read again. */
async function readKeys(disk: Disk, path: string): Promise<string> {
  if (await disk.isStream(path))
    throw new DomainError('INVALID_CONFIG', `${path}: expected a file, got a pipe or a device`);
  try {
    return await disk.readText(path);
  } catch (cause) {
    if (!(cause instanceof DiskError)) throw cause;
    const reason = isMissingFile(cause) ? 'there is no such file' : `cannot be read: ${cause.code}`;
    throw new DomainError('INVALID_CONFIG', `${path}: ${reason}`, { cause });
  }
}
