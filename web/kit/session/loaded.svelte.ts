import { ApiError } from './api-error.ts';

/** What a view shows of the service: the last answer, and why there is none. The latest request counts. */
export class Loaded<Data> {
  #data = $state.raw<Data | undefined>();
  #fault = $state.raw<ApiError | undefined>();
  #isLoading = $state(false);
  #turn = 0;
  readonly #ask: () => Promise<Data>;

  constructor(ask: () => Promise<Data>) {
    this.#ask = ask;
  }

  /** Stays while newer data is asked for. */
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
