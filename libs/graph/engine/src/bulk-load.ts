import type { Readable } from 'node:stream';
import type { ParseOptions, Warning } from '#graph/model';
import { DomainError, type ErrorCode, errorCodeOf, parseJsonBytes, readLines } from '#platform/foundation';
import type { Graph } from './graph.ts';
import { parseBulkOperation } from './request/parse-requests.ts';
import type { BulkReply } from './request/replies.ts';
import type { BulkOperation, BulkOptions } from './request/requests.ts';

const BATCH_LINES = 1_000;
const LINE_BYTES_MAX = 16 * 2 ** 20;
const LINE = { what: 'line', exactIntegers: true };
const ERRORS_SHOWN_MAX = 100;
const WARNINGS_SHOWN_MAX = 100;
const NOTHING_KEPT = 'send the whole load again';
/** Errors after which no line can be stored. */
const FATAL: ReadonlySet<string> = new Set(['STORE_UNAVAILABLE', 'NO_DISK_SPACE']);

export interface LineError {
  /** Number of the line, from 1. */
  readonly line: number;
  readonly code: ErrorCode;
  readonly message: string;
}

export interface BulkLoadReply {
  lines: number;
  entities_written: number;
  relationships_written: number;
  entities_deleted: number;
  relationships_deleted: number;
  error_count: number;
  /** The first hundred. */
  readonly errors: LineError[];
  /** The first hundred. */
  readonly warnings: Warning[];
}

export interface BulkLoadOptions {
  readonly parse: ParseOptions;
  readonly write: BulkOptions;
  /** Makes each delete an error of its line: a delete heeds no owner. */
  readonly refusesDeletes?: boolean;
}

/** Operations of one batch, with their line numbers. */
interface Batch {
  readonly operations: BulkOperation[];
  readonly lines: number[];
}

/**
 * One bulk load: a batch of lines is read while the previous batch becomes durable, and not further ahead. An
 * invalid line or a rejected operation is an error of that line only.
 */
export class BulkLoad {
  readonly #graph: Graph;
  readonly #options: BulkLoadOptions;
  readonly #reply: BulkLoadReply = {
    lines: 0,
    entities_written: 0,
    relationships_written: 0,
    entities_deleted: 0,
    relationships_deleted: 0,
    error_count: 0,
    errors: [],
    warnings: [],
  };
  #batch: Batch = { operations: [], lines: [] };
  #writing: Promise<void> = Promise.resolve();
  /** All lines up to this one are kept, or refused in the reply. */
  #keptLines = 0;

  constructor(graph: Graph, options: BulkLoadOptions) {
    this.#graph = graph;
    this.#options = options;
  }

  /**
   * Reads to the end. Throws NO_DISK_SPACE or STORE_UNAVAILABLE, with the lines that are kept in any case,
   * and the first errors among them: committed batches stay, and the rest can be sent again, because a
   * repeated operation changes nothing.
   */
  async run(stream: Readable): Promise<BulkLoadReply> {
    try {
      return await this.#run(stream);
    } catch (error) {
      if (!(error instanceof DomainError) || !FATAL.has(error.code)) throw error;
      const kept = this.#keptLines;
      const next = `lines 1 to ${kept} are kept: send the load again from line ${kept + 1}`;
      const errors = this.#reply.errors.filter(({ line }) => line <= kept).sort((a, b) => a.line - b.line);
      throw new DomainError(error.code, `${error.message}; ${kept === 0 ? NOTHING_KEPT : next}`, {
        details: { kept_lines: kept, next_line: kept + 1, ...(errors.length > 0 && { errors }) },
        cause: error,
      });
    }
  }

  async #run(stream: Readable): Promise<BulkLoadReply> {
    try {
      for await (const lines of readLines(stream, LINE_BYTES_MAX)) {
        for (const line of lines) {
          this.#addLine(line);
          if (this.#batch.lines.length >= BATCH_LINES) await this.#write();
        }
      }
    } catch (error) {
      this.#endEarly(error);
    }
    await this.#write();
    await this.#writing;
    this.#reply.errors.sort((a, b) => a.line - b.line);
    return this.#reply;
  }

  #addLine(line: Buffer): void {
    this.#reply.lines++;
    if (isBlank(line)) return;
    try {
      const operation = parseBulkOperation(parseJsonBytes(line, LINE), this.#options.parse);
      if (this.#options.refusesDeletes === true && isDelete(operation)) throw notDeleted();
      this.#batch.operations.push(operation);
      this.#batch.lines.push(this.#reply.lines);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.#refuse({ line: this.#reply.lines, code: error.code, message: error.message });
    }
  }

  /** Writes the batch after the previous one is durable. */
  async #write(): Promise<void> {
    await this.#writing;
    const batch = this.#batch;
    if (batch.lines.length === 0) return;
    this.#batch = { operations: [], lines: [] };
    const { lines: read } = this.#reply;
    this.#writing = this.#graph.bulk(batch.operations, this.#options.write).then((reply) => {
      this.#add(reply, batch.lines);
      this.#keptLines = read;
    });
    // The next await receives the failure; until then it must not count as unhandled.
    this.#writing.catch(() => undefined);
  }

  #add(reply: BulkReply, lines: readonly number[]): void {
    this.#reply.entities_written += reply.entities_written;
    this.#reply.relationships_written += reply.relationships_written;
    this.#reply.entities_deleted += reply.entities_deleted;
    this.#reply.relationships_deleted += reply.relationships_deleted;
    for (const { index, code, message } of reply.errors) {
      this.#refuse({ line: lines[index] ?? 0, code, message });
    }
    const room = WARNINGS_SHOWN_MAX - this.#reply.warnings.length;
    this.#reply.warnings.push(...reply.warnings.slice(0, room));
  }

  /** The stream was aborted: complete lines are kept, and the incomplete line is an error. */
  #endEarly(error: unknown): void {
    if (error instanceof DomainError && FATAL.has(error.code)) throw error;
    const line = ++this.#reply.lines;
    if (error instanceof DomainError) this.#refuse({ line, code: error.code, message: error.message });
    // An error of the connection or of zlib, not one of the engine.
    else if (errorCodeOf(error) !== undefined) {
      this.#refuse({ line, code: 'INVALID_REQUEST', message: 'the stream is damaged or cut short' });
    } else throw error;
  }

  #refuse(error: LineError): void {
    this.#reply.error_count++;
    if (this.#reply.errors.length < ERRORS_SHOWN_MAX) this.#reply.errors.push(error);
  }
}

function isDelete({ op }: BulkOperation): boolean {
  return op === 'delete_entity' || op === 'delete_relationship';
}

function notDeleted(): DomainError {
  const message = 'expected no delete with a key of one source: leave the record out of its next sync';
  return new DomainError('FORBIDDEN', message);
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09);
}
