/**
 * A question about an entity, read page by page, as for the canvas: its text, the warnings of its answer,
 * and how much of it is drawn.
 */
import { ApiError, dataOf } from '../../kit/session/api-error.ts';
import { query } from '../api/generated/sdk.gen.ts';
import type { QueryReplyDto, WarningDto } from '../api/generated/types.gen.ts';
import { rowCount } from '../results/query-run.svelte.ts';
import { type GraphData, graphOf } from './graph-data.ts';
import { momentOf } from './read-graph.ts';

const PAGE_ITEMS = 1_000;

export interface QuestionText {
  /** Such as `Neighbours of web-01`. */
  readonly title: string;
  readonly pql: string;
  /** The node from which it is asked. */
  readonly origin: string;
  /** RFC 3339; undefined: now. */
  readonly asOf: string | undefined;
}

export class CanvasQuestion {
  readonly text: QuestionText;
  #cursor: string | undefined;
  #count = $state(0);
  #drawn = $state(0);
  #warnings = $state.raw<readonly WarningDto[]>([]);
  #isAsking = $state(false);

  readonly #pageItems: number;

  constructor(text: QuestionText, pageItems = PAGE_ITEMS) {
    this.text = text;
    this.#pageItems = pageItems;
  }

  /** Number of relationships, entities or paths in the whole answer. */
  get count(): number {
    return this.#count;
  }

  /** Number of them that have been read. */
  get drawn(): number {
    return this.#drawn;
  }

  get warnings(): readonly WarningDto[] {
    return this.#warnings;
  }

  get isAsking(): boolean {
    return this.#isAsking;
  }

  /** The next part of the answer. Throws the errors of the query; the question can then be asked again. */
  async next(): Promise<GraphData> {
    this.#isAsking = true;
    try {
      if (this.#cursor === undefined) return graphOf([await this.#ask(this.#whole)]);
      return await this.#continue(this.#cursor);
    } finally {
      this.#isAsking = false;
    }
  }

  /** The service keeps an answer for a minute; after that it is read again up to where it stood. */
  async #continue(cursor: string): Promise<GraphData> {
    try {
      return graphOf([await this.#ask({ cursor })]);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'CURSOR_EXPIRED') throw error;
    }
    const before = this.#drawn;
    this.#drawn = 0;
    const pages = [await this.#ask(this.#whole)];
    while (this.#drawn <= before && this.#cursor !== undefined) {
      pages.push(await this.#ask({ cursor: this.#cursor }));
    }
    return graphOf(pages);
  }

  get #whole(): { readonly pql: string } {
    const { pql, asOf } = this.text;
    return { pql, ...momentOf(asOf) };
  }

  async #ask(body: { readonly pql: string } | { readonly cursor: string }): Promise<QueryReplyDto> {
    const reply = await dataOf(query({ body: { ...body, limit: this.#pageItems } }));
    if (typeof reply === 'string') throw new ApiError('NO_ANSWER', 'the service answered with text');
    this.#cursor = reply.cursor;
    this.#count = reply.count;
    this.#drawn += rowCount([reply]);
    if ('pql' in body) this.#warnings = reply.warnings;
    return reply;
  }
}
