import { type Disk, DiskError } from '#platform/disk';
import { DomainError, type Resources } from '#platform/foundation';
import { type Actor, currentActor, PROGRAM } from './actor.ts';
import { type AuditedChange, type AuditEvent, type ChainedEvent, eventOf } from './audit-event.ts';
import { AuditFile, trailFiles } from './audit-file.ts';
import { CHAIN_START, chained, type ChainPlace, readLine } from './chain.ts';

/** The part of a log that this library writes to. */
export interface AuditLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface AuditOptions {
  readonly disk: Disk;
  /** A file, or `-` for standard output. */
  readonly path: string;
  /** Changes are made though their events cannot be written. */
  readonly isBestEffort: boolean;
  readonly fileBytesMax?: number | undefined;
  /** Standard output. */
  readonly output?: { write(text: string): unknown };
}

export interface AuditQuery {
  readonly sinceMs: number;
  /** The name of the key; undefined: any. */
  readonly who?: string | undefined;
  /** A part of the operation or of the target; undefined: any. */
  readonly what?: string | undefined;
  readonly limit: number;
}

export interface AuditAnswer {
  /** Newest first. */
  readonly events: readonly ChainedEvent[];
  /** Whether older ones match as well. */
  readonly hasMore: boolean;
}

const SYNC_MS = 1_000;
/** Events of a trail on standard output that can be asked for. */
const RECENT_MAX = 1_000;
/** Refusals of one second that are written; further ones of that second are counted. */
const REFUSALS_MAX = 200;

interface Sink {
  append(event: AuditEvent): void;
  sync(): Promise<void>;
  close(): Promise<void>;
  search(query: AuditQuery): Promise<AuditAnswer>;
}

/** Every change and every refusal, as lines. */
export class AuditTrail {
  readonly #sink: Sink;
  readonly #isBestEffort: boolean;
  #log: AuditLog | undefined;
  #failure: string | undefined;
  #second = 0;
  #refusals = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Throws INVALID_CONFIG, STORE_LOCKED. */
  static async open(options: AuditOptions): Promise<AuditTrail> {
    const { path, isBestEffort, output = process.stdout } = options;
    const sink = path === '-' ? new OutputSink(output) : await FileSink.open(options);
    return new AuditTrail(sink, isBestEffort);
  }

  private constructor(sink: Sink, isBestEffort: boolean) {
    this.#sink = sink;
    this.#isBestEffort = isBestEffort;
  }

  /** Until the program ends, makes the lines durable once a second, and logs when they cannot be written. */
  async watch(resources: Resources, log: AuditLog): Promise<void> {
    this.#log = log;
    await resources.open(
      () => {
        this.#timer = setInterval(() => void this.#sync(), SYNC_MS).unref();
      },
      () => clearInterval(this.#timer),
    );
  }

  /** Call it after the last change: later ones are refused. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#countRefusals();
    await this.#sink.close();
  }

  /**
   * Writes the event of a change of the current actor, before the change is made. Throws STORE_UNAVAILABLE if
   * it cannot be written: then the change must not be made.
   */
  change(change: AuditedChange): void {
    this.#append(eventOf(currentActor(), Date.now(), { ...change, outcome: 'done' }), true);
  }

  /** The change of this number was not made after all. */
  failed(change: AuditedChange): void {
    this.#append(eventOf(currentActor(), Date.now(), { ...change, outcome: 'failed' }), false);
  }

  /** A caller that may not do what it asks for. A flood of refusals is counted, not written one by one. */
  refusal(actor: Actor, status: number): void {
    const second = Math.floor(Date.now() / 1_000);
    if (second !== this.#second) this.#countRefusals();
    this.#second = second;
    this.#refusals++;
    if (this.#refusals <= REFUSALS_MAX)
      this.#append(eventOf(actor, Date.now(), { outcome: 'refused', status }), false);
  }

  search(query: AuditQuery): Promise<AuditAnswer> {
    return this.#sink.search(query);
  }

  #countRefusals(): void {
    const further = this.#refusals - REFUSALS_MAX;
    this.#refusals = 0;
    if (further <= 0) return;
    const actor = { ...PROGRAM, what: 'further refusals of one second' };
    this.#append(eventOf(actor, Date.now(), { outcome: 'refused', counts: { events: further } }), false);
  }

  #append(event: AuditEvent, isRequired: boolean): void {
    try {
      if (this.#failure !== undefined) this.#sink.append(resumed());
      this.#sink.append(event);
      this.#failure = undefined;
    } catch (error) {
      this.#failed(error);
      if (isRequired && !this.#isBestEffort)
        throw new DomainError('STORE_UNAVAILABLE', 'the audit trail cannot be written: no change is made', {
          cause: error,
        });
    }
  }

  async #sync(): Promise<void> {
    if (Math.floor(Date.now() / 1_000) !== this.#second) this.#countRefusals();
    try {
      await this.#sink.sync();
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    const reason = error instanceof DiskError ? error.code : String(error);
    if (reason !== this.#failure)
      this.#log?.error(
        { event: 'audit.not_written', reason },
        this.#isBestEffort
          ? 'audit events are lost'
          : 'the audit trail cannot be written: changes are refused',
      );
    this.#failure = reason;
  }
}

/** Says in the trail that events may be missing before it. */
function resumed(): AuditEvent {
  const actor = { ...PROGRAM, what: 'audit' };
  return eventOf(actor, Date.now(), { outcome: 'lost', target: 'the trail could not be written for a time' });
}

/** Lines that are read without letting other work run. */
const ROWS_PER_TURN = 500;

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

class FileSink implements Sink {
  readonly #file: AuditFile;
  readonly #options: AuditOptions;

  static async open(options: AuditOptions): Promise<FileSink> {
    const { disk, path, fileBytesMax } = options;
    return new FileSink(await AuditFile.open({ disk, path, fileBytesMax }), options);
  }

  private constructor(file: AuditFile, options: AuditOptions) {
    this.#file = file;
    this.#options = options;
  }

  append(event: AuditEvent): void {
    this.#file.append(event);
  }

  sync(): Promise<void> {
    return this.#file.sync();
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** Newest file first, until the answer is complete or a file ends before the time. */
  async search(query: AuditQuery): Promise<AuditAnswer> {
    const { disk, path } = this.#options;
    const found: ChainedEvent[] = [];
    let rows = 0;
    for (const file of [...(await trailFiles(disk, path))].reverse()) {
      const events = (await disk.readLooseText(file)).split('\n').reverse();
      for (const line of events) {
        if (++rows % ROWS_PER_TURN === 0) await nextTurn();
        const event = readLine(line);
        if (event === undefined) continue;
        if (Date.parse(event.time) < query.sinceMs) return { events: found, hasMore: false };
        if (!matches(event, query)) continue;
        if (found.length === query.limit) return { events: found, hasMore: true };
        found.push(event);
      }
    }
    return { events: found, hasMore: false };
  }
}

/** Lines for a collector of logs. The chain begins anew with each process. */
class OutputSink implements Sink {
  readonly #output: { write(text: string): unknown };
  #place: ChainPlace = CHAIN_START;
  #recent: ChainedEvent[] = [];

  constructor(output: { write(text: string): unknown }) {
    this.#output = output;
  }

  append(event: AuditEvent): void {
    const { line, place } = chained(event, this.#place);
    this.#output.write(line);
    this.#place = place;
    this.#recent.push({ ...event, ...place });
    if (this.#recent.length > 2 * RECENT_MAX) this.#recent = this.#recent.slice(-RECENT_MAX);
  }

  sync(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  search(query: AuditQuery): Promise<AuditAnswer> {
    const found = this.#recent
      .filter((event) => Date.parse(event.time) >= query.sinceMs && matches(event, query))
      .reverse();
    return Promise.resolve({ events: found.slice(0, query.limit), hasMore: found.length > query.limit });
  }
}

function matches({ who, what, target = '' }: AuditEvent, query: AuditQuery): boolean {
  if (query.who !== undefined && query.who !== who) return false;
  return query.what === undefined || what.includes(query.what) || target.includes(query.what);
}
