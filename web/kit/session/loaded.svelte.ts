import { ApiError } from './api-error.ts';

/** Data of a view: the last response, and the reason if there is none. The latest request wins. */
export class Loaded<Data> {
  #data = $state.raw<Data | undefined>();
  #fault = $state.raw<ApiError | undefined>();
  #isLoading = $state(false);
  #turn = 0;
  readonly #ask: () => Promise<Data>;

  constructor(ask: () => Promise<Data>) {
    this.#ask = ask;
  }

  /** Kept while newer data is loading. */
  get data(): Data | undefined {
    return this.#data;
  }

  get fault(): ApiError | undefined {
    return this.#fault;
  }

  get isLoading(): boolean {
    return this.#isLoading;
  }

  async load(): Promise<void> {
    const turn = ++this.#turn;
    this.#isLoading = true;
    try {
      const data = await this.#ask();
      if (turn !== this.#turn) return;
      this.#data = data;
      this.#fault = undefined;
    } catch (error) {
      if (turn === this.#turn) this.#fault = faultOf(error);
    } finally {
      if (turn === this.#turn) this.#isLoading = false;
    }
  }
}

export function faultOf(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError('FAILED', String(error));
}
