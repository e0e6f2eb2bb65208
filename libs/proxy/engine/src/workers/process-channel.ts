import { assert } from '#platform/foundation';

/** One end of the channel between a process and its parent: a `ChildProcess`, or `process`. */
export interface ChannelPort {
  send?(message: unknown, callback: (error: Error | null) => void): boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

type Name<Methods> = keyof Methods & string;
type Arguments<Method> = Method extends (...args: infer Args) => unknown ? Args : never;
type Result<Method> = Method extends (...args: never[]) => Promise<infer Value> ? Value : never;
type AnyMethods = Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;

type Message =
  | { readonly call: number; readonly name: string; readonly args: readonly unknown[] }
  | { readonly answer: number; readonly result: unknown };

/** Rejects open calls when the other process has ended. */
export class ProcessEnded extends Error {}

/**
 * Remote calls between two processes: methods of the other process by name, and methods of this one. Calls
 * arrive in order; a method that rejects ends its process, as any defect does.
 */
export class ProcessChannel<Remote, Own extends object> {
  readonly #port: ChannelPort;
  readonly #own: AnyMethods;
  readonly #open = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;
  #isClosed = false;

  constructor(port: ChannelPort, own: Own) {
    this.#port = port;
    this.#own = own as AnyMethods;
    port.on('message', (message) => this.#hear(message as Message));
  }

  /** Rejects with ProcessEnded when no answer will arrive. */
  async call<Method extends Name<Remote>>(
    name: Method,
    ...args: Arguments<Remote[Method]>
  ): Promise<Result<Remote[Method]>> {
    if (this.#isClosed) throw new ProcessEnded();
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<Result<Remote[Method]>>();
    this.#open.set(id, answer as PromiseWithResolvers<unknown>);
    this.#send({ call: id, name, args });
    return answer.promise;
  }

  /** The other process has ended. */
  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#open.values()) reject(new ProcessEnded());
    this.#open.clear();
  }

  #hear(message: Message): void {
    if ('call' in message) {
      void this.#answer(message.call, message.name, message.args);
      return;
    }
    this.#open.get(message.answer)?.resolve(message.result);
    this.#open.delete(message.answer);
  }

  async #answer(id: number, name: string, args: readonly unknown[]): Promise<void> {
    const method = this.#own[name];
    assert(method !== undefined, `expected a method of this process, got ${name}`);
    this.#send({ answer: id, result: await method(...args) });
  }

  /** A send error is ignored: the end of the other process is reported separately. */
  #send(message: Message): void {
    this.#port.send?.(message, () => undefined);
  }
}
