import { dataOf } from '../../kit/session/api-error.ts';
import { Loaded } from '../../kit/session/loaded.svelte.ts';
import { search } from '../api/generated/sdk.gen.ts';
import type { FoundNameDto, SearchReplyDto } from '../api/generated/types.gen.ts';

/** A pause in typing after which the service is asked. */
const PAUSE_MS = 120;

/** Entities found by a part of their name while it is typed. */
export class EntitySearch {
  #text = $state('');
  #type = $state<string | undefined>();
  #at = $state(0);
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #limit: number;
  readonly #loaded: Loaded<SearchReplyDto | undefined>;

  constructor(limit: number) {
    this.#limit = limit;
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

  /** Marks the entity so many places farther down. */
  step(by: number): void {
    const count = this.reply?.entities.length ?? 0;
    if (count > 0) this.#at = (this.#at + by + count) % count;
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#text = '';
    this.#type = undefined;
    void this.#load();
  }

  async #load(): Promise<void> {
    await this.#loaded.load();
    this.#at = 0;
  }

  async #ask(): Promise<SearchReplyDto | undefined> {
    const q = this.#text.trim();
    if (q === '') return undefined;
    const type = this.#type;
    return dataOf(search({ query: { q, limit: this.#limit, ...(type !== undefined && { type }) } }));
  }
}
