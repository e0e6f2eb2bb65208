/** The two moments of a diff, and the cursor that names them, the question and the place to go on. */
import type { AskedMoment, Graph } from '#graph/engine';
import { DomainError } from '#platform/foundation';

const CURSOR_CHARS_MAX = 16_384;

export interface AskedSpan {
  /** May be absent with a cursor. */
  readonly from?: AskedMoment | undefined;
  /** Default: now. */
  readonly to?: AskedMoment | undefined;
  readonly cursor?: string | undefined;
}

export interface DiffSpan {
  /** Sequence numbers. */
  readonly from: number;
  readonly to: number;
  /** Where the page begins; undefined for the first. */
  readonly after: string | undefined;
}

interface CursorContent {
  readonly epoch: string;
  readonly from: number;
  readonly to: number;
  readonly about: string;
  readonly after: string;
}

/** Resolves the moments of diffs of a graph. */
export class DiffSpans {
  readonly #graph: Pick<Graph, 'epoch' | 'history' | 'diff'>;

  constructor(graph: Pick<Graph, 'epoch' | 'history' | 'diff'>) {
    this.#graph = graph;
  }

  /**
   * Throws INVALID_REQUEST for a missing or later first moment, a future one, and the cursor of another
   * question; CONFLICT for another history; BEYOND_HISTORY.
   */
  async resolve({ from, to, cursor }: AskedSpan, about: string): Promise<DiffSpan> {
    const known = cursor === undefined ? undefined : this.#opened(cursor);
    const first = from === undefined ? known?.from : await this.#seqOf(from, 'from');
    if (first === undefined)
      throw fault('from', 'expected a time (RFC 3339), a sequence number, or a Plexus-Seq');
    const second = to === undefined && known !== undefined ? known.to : await this.#seqOf(to, 'to');
    if (known !== undefined) requireSame(known, { from: first, to: second, about });
    if (first <= second) return { from: first, to: second, after: known?.after };
    const numbers = `a moment from ${String(first)} on, got ${String(second)}`;
    throw fault('to', `expected ${numbers}: give the earlier one first`);
  }

  cursor({ from, to }: DiffSpan, about: string, after: string): string {
    const { epoch } = this.#graph;
    return Buffer.from(JSON.stringify([epoch, from, to, about, after]), 'utf8').toString('base64url');
  }

  #seqOf(asked: AskedMoment | undefined, field: string): Promise<number> {
    return this.#graph.diff.seqOf(asked && this.#graph.history.momentOf(asked), field);
  }

  #opened(cursor: string): CursorContent {
    const content = cursor.length > CURSOR_CHARS_MAX ? undefined : contentOf(cursor);
    if (content === undefined) throw fault('cursor', 'expected one that a diff has given');
    this.#graph.history.requireOurs({ epoch: content.epoch, seq: content.to });
    return content;
  }
}

function requireSame(known: CursorContent, asked: Pick<CursorContent, 'from' | 'to' | 'about'>): void {
  if (known.from === asked.from && known.to === asked.to && known.about === asked.about) return;
  throw fault('cursor', 'expected one that was given for the same question');
}

function contentOf(cursor: string): CursorContent | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (!Array.isArray(parts)) return undefined;
    const [epoch, from, to, about, after] = parts as readonly unknown[];
    const areTexts = typeof epoch === 'string' && typeof about === 'string' && typeof after === 'string';
    return areTexts && isSeq(from) && isSeq(to) ? { epoch, from, to, about, after } : undefined;
  } catch {
    return undefined;
  }
}

function isSeq(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function fault(field: string, message: string): DomainError {
  return new DomainError('INVALID_REQUEST', `${field}: ${message}`, { details: { field } });
}
