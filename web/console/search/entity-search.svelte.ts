import { dataOf } from '../../kit/session/api-error.ts';
import { Loaded } from '../../kit/session/loaded.svelte.ts';
import { search } from '../api/generated/sdk.gen.ts';
import { momentOf } from '../graph/read-graph.ts';
import type { FoundNameDto, SearchReplyDto } from '../api/generated/types.gen.ts';

/** A pause in typing after which the service is asked. */
const PAUSE_MS = 120;

/** Entities found by a part of their name while it is typed. */
export class EntitySearch {
  #text = $state('');
  #type = $state<string | undefined>();
  #at = $state(0);
  /** Set while the service is not asked yet for what has been typed. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The last answer that is awaited. */
  #loading: Promise<void> | undefined;
  readonly #limit: number;
  readonly #asOf: () => string | undefined;
  readonly #loaded: Loaded<SearchReplyDto | undefined>;

  /** `asOf`: the moment, in RFC 3339, whose names are searched; undefined: now. */
  constructor(limit: number, asOf: () => string | undefined) {
    this.#limit = limit;
    this.#asOf = asOf;
    this.#loaded = new Loaded(() => this.#ask());
  }

  get text(): string {
    return this.#text;
  }

  set text(text: string) {
    this.#text = text;
    this.#type = undefined;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#load(), PAUSE_MS);
  }

  /** The type that narrows the result, if any. */
  get type(): string | undefined {
    return this.#type;
  }

  narrow(type: string | undefined): void {
    this.#type = type;
    void this.#load();
  }

  /** The last answer; nothing without a text. */
  get reply(): SearchReplyDto | undefined {
    return this.#loaded.data;
  }

  get fault(): Loaded<unknown>['fault'] {
    return this.#loaded.fault;
  }

  /** The position of the marked entity. */
  get at(): number {
    return this.#at;
  }

  get marked(): FoundNameDto | undefined {
    return this.reply?.entities[this.#at];
  }

  /** The marked entity of the answer to what is typed now, which is awaited; none if typing goes on. */
  async settled(): Promise<FoundNameDto | undefined> {
    const text = this.#text;
    if (this.#timer !== undefined) void this.#load();
    await this.#loading;
    return text === this.#text && this.fault === undefined ? this.marked : undefined;
  }

  /** Marks the entity so many places farther down. */
  step(by: number): void {
    const count = this.reply?.entities.length ?? 0;
    if (count > 0) this.#at = (this.#at + by + count) % count;
  }

  clear(): void {
    this.#text = '';
    this.#type = undefined;
    void this.#load();
  }

  #load(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const loading = this.#loaded.load().then(() => {
      if (this.#loading === loading) this.#at = 0;
    });
    this.#loading = loading;
    return loading;
  }

  async #ask(): Promise<SearchReplyDto | undefined> {
    const q = this.#text.trim();
    if (q === '') return undefined;
    const type = this.#type;
    const moment = momentOf(this.#asOf());
    return dataOf(
      search({ query: { q, limit: this.#limit, ...(type !== undefined && { type }), ...moment } }),
    );
  }
}
