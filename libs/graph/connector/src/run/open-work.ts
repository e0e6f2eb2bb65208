/**
 * What a step has begun and not finished: a request that it did not await, a timer, a socket. The promise of
 * the step says nothing about it, and a promise that is never settled is often innocent, such as the loser of
 * a race. So operations are observed: what Node's event loop waits for, and requests of `fetch`.
 */
import { type AsyncHook, createHook } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** Types of Node's asynchronous resources that end with one answer: files, names, connections, hashes. */
const QUESTION = /REQ|CONNECTWRAP$|^QUERYWRAP$/;

const HTTP_REQUEST = 'an HTTP request';

/**
 * Computations of `node:crypto`. One that is made at once, such as `randomBytes(18)`, has its result when the
 * statement ends, but no callback that would say so: its resource lives until memory is collected.
 */
const COMPUTATION = /(?<!^HTTPCLIENT)REQUEST$/;

interface Resource {
  readonly type: string;
  /** Of a computation: whether one is still awaited. Does not keep its resource. */
  readonly isAwaited?: () => boolean;
  /** A timer or handle: whether it keeps a process running. */
  readonly hasRef?: () => boolean;
  /** It lives on after a callback: a handle, or an interval. */
  readonly isLasting?: boolean;
}

/** The open operations of one asynchronous context. */
export class OpenWork {
  readonly #resources = new Map<number, Resource>();
  readonly #fetches = new Set<object>();

  /** Questions without an answer, by name: what they would have brought is unknown. */
  get unanswered(): readonly string[] {
    const asked = [...this.#resources.values()].filter(
      ({ type, isAwaited }) => QUESTION.test(type) && isAwaited?.() !== false,
    );
    const names = asked.map(({ type }) => nameOf(type));
    return [...new Set(this.#fetches.size > 0 ? [...names, HTTP_REQUEST] : names)];
  }

  /** Something may still happen. */
  get isOpen(): boolean {
    if (this.unanswered.length > 0) return true;
    return [...this.#resources.values()].some(({ hasRef }) => hasRef?.() === true);
  }

  begin(asyncId: number, type: string, resource: object): void {
    if ('hasRef' in resource && typeof resource.hasRef === 'function') {
      const { hasRef } = resource;
      const isLasting = !calledOnce(type, resource);
      this.#resources.set(asyncId, { type, hasRef: () => hasRef.call(resource) === true, isLasting });
    } else if (COMPUTATION.test(type)) this.#resources.set(asyncId, { type, isAwaited: awaits(resource) });
    else if (QUESTION.test(type)) this.#resources.set(asyncId, { type });
  }

  /** A callback of the resource has run. */
  called(asyncId: number): boolean {
    const resource = this.#resources.get(asyncId);
    return resource !== undefined && resource.isLasting !== true && this.#resources.delete(asyncId);
  }

  ended(asyncId: number): boolean {
    return this.#resources.delete(asyncId);
  }

  beginFetch(request: object): void {
    this.#fetches.add(request);
  }

  /** Its answer has begun, or it failed. */
  endFetch(request: object): boolean {
    return this.#fetches.delete(request);
  }
}

/** Assigns operations to the work in whose context they begin. Observes only between `start` and `stop`. */
export class WorkObserver {
  readonly #current: () => OpenWork | undefined;
  readonly #works = new Map<number, OpenWork>();
  readonly #fetches = new WeakMap<object, OpenWork>();
  readonly #hook: AsyncHook;
  #users = 0;

  constructor(current: () => OpenWork | undefined) {
    this.#current = current;
    this.#hook = createHook({
      trackPromises: false,
      init: (asyncId, type, _trigger, resource) => this.#begin(asyncId, type, resource),
      after: (asyncId) => {
        if (this.#works.get(asyncId)?.called(asyncId) === true) this.#works.delete(asyncId);
      },
      destroy: (asyncId) => {
        this.#works.get(asyncId)?.ended(asyncId);
        this.#works.delete(asyncId);
      },
    });
  }

  start(): void {
    if (this.#users++ > 0) return;
    this.#hook.enable();
    subscribe('undici:request:create', this.#onFetch);
    subscribe('undici:request:headers', this.#onFetchEnd);
    subscribe('undici:request:error', this.#onFetchEnd);
  }

  stop(): void {
    if (--this.#users > 0) return;
    this.#hook.disable();
    unsubscribe('undici:request:create', this.#onFetch);
    unsubscribe('undici:request:headers', this.#onFetchEnd);
    unsubscribe('undici:request:error', this.#onFetchEnd);
    this.#works.clear();
  }

  #begin(asyncId: number, type: string, resource: object): void {
    const work = this.#current();
    if (work === undefined) return;
    work.begin(asyncId, type, resource);
    this.#works.set(asyncId, work);
  }

  readonly #onFetch = (message: unknown): void => {
    const work = this.#current();
    const request = requestOf(message);
    if (work === undefined || request === undefined) return;
    work.beginFetch(request);
    this.#fetches.set(request, work);
  };

  readonly #onFetchEnd = (message: unknown): void => {
    const request = requestOf(message);
    if (request !== undefined) this.#fetches.get(request)?.endFetch(request);
  };
}

/** `setImmediate` and `setTimeout`, from which the timer of `setInterval` differs by its `_repeat` alone. */
function calledOnce(type: string, resource: object): boolean {
  if (type === 'Immediate') return true;
  return type === 'Timeout' && !('_repeat' in resource && typeof resource._repeat === 'number');
}

/** Those that call back have `ondone`, which is set after they are made. */
function awaits(resource: object): () => boolean {
  const weak = new WeakRef(resource);
  return () => {
    const alive = weak.deref();
    return alive !== undefined && 'ondone' in alive;
  };
}

function requestOf(message: unknown): object | undefined {
  if (typeof message !== 'object' || message === null || !('request' in message)) return undefined;
  return typeof message.request === 'object' && message.request !== null ? message.request : undefined;
}

function nameOf(type: string): string {
  if (type === 'HTTPCLIENTREQUEST') return HTTP_REQUEST;
  if (/^F/.test(type)) return 'a file';
  return /CONNECT/.test(type) ? 'a connection' : 'an operation';
}
