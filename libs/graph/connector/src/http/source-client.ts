/** Reads JSON of a service over HTTP: slowly enough, again after a refusal that passes, and page by page. */
import { DomainError } from '#platform/foundation';
import type { StepContext } from '../run/step.ts';
import { nextOfLink, retryAfterMs } from './reply-headers.ts';

const ATTEMPTS = 5;
const WAIT_MS = 1_000;
const WAIT_MS_MAX = 30_000;
/** A service that asks for more than this is not waited for. */
const RETRY_AFTER_MS_MAX = 300_000;
const TIMEOUT_MS = 60_000;
const BODY_MEBIBYTES_MAX = 256;
const PAGES_MAX = 100_000;
const NOT_MODIFIED = 304;
/** Nothing asks for a part. */
const PARTIAL_CONTENT = 206;
/** Of an overloaded or restarting service. */
const PASSING: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

export interface SourceClientOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Requests in a second, at most; default: no limit. */
  readonly perSecond?: number;
  /** Requests for one answer, at most; default 5. */
  readonly attempts?: number;
  /** Time of one request and its answer; default a minute. */
  readonly timeoutMs?: number;
}

export interface SourcePage {
  readonly body: unknown;
  readonly headers: Headers;
  readonly url: string;
}

export interface SourceBytes {
  readonly headers: Headers;
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** The URL of the page after this one, absolute or relative to it; undefined after the last. */
export type NextPage = (page: SourcePage) => string | undefined;

type Waiting = Pick<StepContext<unknown>, 'signal' | 'sleep'>;

export interface SourceClient {
  /** Throws CONFLICT for an answer that is neither a success nor JSON, with its status. */
  json(context: Waiting, url: string): Promise<unknown>;
  /**
   * The bytes of an answer as they come; undefined if it has not changed since `unless`, an `ETag`. The time
   * of the answer is that of the step. Throws CONFLICT for a refusal.
   */
  bytes(context: Waiting, url: string, unless?: string): Promise<SourceBytes | undefined>;
  /** All pages. By default, the header `Link` names the next one. Throws for a page that comes twice. */
  pages(context: Waiting, url: string, next?: NextPage): AsyncGenerator<SourcePage>;
}

export function sourceClient(options: SourceClientOptions = {}): SourceClient {
  const reader = new SourceReader(options);
  return {
    json: async (context, url) => (await reader.page(context, url)).body,
    bytes: (context, url, unless) => reader.bytes(context, url, unless),
    pages: (context, url, next = ({ headers }) => nextOfLink(headers)) => reader.pages(context, url, next),
  };
}

class SourceReader {
  readonly #options: SourceClientOptions;
  /** When the next request may begin. */
  #freeAtMs = 0;

  constructor(options: SourceClientOptions) {
    const { perSecond, attempts } = options;
    for (const [name, value] of Object.entries({ perSecond, attempts }))
      if (value !== undefined && !(Number.isFinite(value) && value > 0))
        throw new DomainError('INVALID_REQUEST', `${name}: expected a number above 0, got ${value}`);
    this.#options = options;
  }

  async *pages(context: Waiting, first: string, next: NextPage): AsyncGenerator<SourcePage> {
    const seen = new Set<string>();
    let url: string | undefined = first;
    while (url !== undefined) {
      if (seen.has(url)) throw fault(`expected each page once, got ${shown(url)} again`);
      if (seen.size >= PAGES_MAX) throw fault(`expected at most ${PAGES_MAX} pages of ${shown(first)}`);
      seen.add(url);
      const page = await this.page(context, url);
      yield page;
      const following = next(page);
      url = following === undefined ? undefined : sameOrigin(following, url);
    }
  }

  page(context: Waiting, url: string): Promise<SourcePage> {
    const read = async (reply: Response): Promise<SourcePage> => ({
      body: await bodyOf(reply, url),
      headers: reply.headers,
      url,
    });
    return this.#answer(context, { url, headers: { Accept: 'application/json' }, read });
  }

  bytes(context: Waiting, url: string, unless?: string): Promise<SourceBytes | undefined> {
    const headers = { Accept: '*/*', ...(unless !== undefined && { 'If-None-Match': unless }) };
    const read = (reply: Response): Promise<SourceBytes | undefined> => {
      if (reply.status === NOT_MODIFIED) return Promise.resolve(undefined);
      return Promise.resolve({ headers: reply.headers, pieces: wholeBody(reply, url) });
    };
    return this.#answer(context, { url, headers, read });
  }

  async #answer<T>(context: Waiting, question: Question<T>): Promise<T> {
    const { attempts = ATTEMPTS } = this.#options;
    for (let attempt = 1; ; attempt++) {
      await this.#waitForTurn(context);
      const answer = await this.#request(context, question);
      if ('read' in answer) return answer.read;
      if (attempt >= attempts) throw fault(`${answer.refused}, at each of ${attempt} requests`);
      await context.sleep(waitMs(answer, attempt));
    }
  }

  async #waitForTurn(context: Waiting): Promise<void> {
    const { perSecond } = this.#options;
    if (perSecond === undefined) return;
    const nowMs = performance.now();
    const atMs = Math.max(nowMs, this.#freeAtMs);
    this.#freeAtMs = atMs + 1_000 / perSecond;
    if (atMs > nowMs) await context.sleep(atMs - nowMs);
  }

  /** An answer, or a refusal that may pass. */
  async #request<T>(
    context: Waiting,
    { url, headers, read }: Question<T>,
  ): Promise<{ readonly read: T } | Refusal> {
    const { timeoutMs = TIMEOUT_MS } = this.#options;
    const late = new AbortController();
    const timer = setTimeout(
      () => late.abort(new DOMException('no answer in time', 'TimeoutError')),
      timeoutMs,
    );
    const signal = AbortSignal.any([context.signal, late.signal]);
    try {
      const given = { ...headers, ...this.#options.headers };
      // Elsewhere, the headers would tell the secret to another service.
      const reply = await fetch(url, { headers: given, signal, redirect: 'manual' });
      const isWhole = reply.ok && reply.status !== PARTIAL_CONTENT;
      if (isWhole || (reply.status === NOT_MODIFIED && 'If-None-Match' in headers))
        return { read: await read(reply) };
      await reply.body?.cancel();
      const refused = `${shown(url)} answered ${reply.status}`;
      if (!PASSING.has(reply.status)) throw fault(refused);
      return { refused, afterMs: retryAfterMs(reply.headers, Date.now()) };
    } catch (error) {
      context.signal.throwIfAborted();
      if (error instanceof DomainError) throw error;
      return { refused: `${shown(url)} did not answer: ${reasonOf(error)}`, afterMs: undefined };
    } finally {
      clearTimeout(timer);
    }
  }
}

interface Question<T> {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly read: (reply: Response) => Promise<T>;
}

/** Throws with the URL if the answer ends before its end. */
async function* wholeBody({ body }: Response, url: string): AsyncGenerator<Uint8Array> {
  try {
    yield* body ?? [];
  } catch (error) {
    throw fault(`the answer of ${shown(url)} was cut: ${reasonOf(error)}`);
  }
}

interface Refusal {
  readonly refused: string;
  /** What the service asks for. */
  readonly afterMs: number | undefined;
}

function waitMs({ refused, afterMs }: Refusal, attempt: number): number {
  if (afterMs === undefined) return Math.min(WAIT_MS * 2 ** (attempt - 1), WAIT_MS_MAX);
  if (afterMs <= RETRY_AFTER_MS_MAX) return afterMs;
  const seconds = RETRY_AFTER_MS_MAX / 1_000;
  throw fault(`${refused}, and asks to wait ${Math.ceil(afterMs / 1_000)} s: expected at most ${seconds} s`);
}

async function bodyOf(reply: Response, url: string): Promise<unknown> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const body: AsyncIterable<Uint8Array> | undefined = reply.body ?? undefined;
  for await (const piece of body ?? []) {
    bytes += piece.length;
    if (bytes > BODY_MEBIBYTES_MAX * 1_048_576)
      throw fault(`expected at most ${BODY_MEBIBYTES_MAX} MiB of ${shown(url)}, got more`);
    pieces.push(piece);
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces)));
  } catch {
    throw fault(`expected JSON of ${shown(url)}, got something else`);
  }
}

function sameOrigin(next: string, url: string): string {
  const following = URL.canParse(next, url) ? new URL(next, url) : undefined;
  if (following === undefined) throw fault(`expected the URL of a page after ${shown(url)}, got no URL`);
  if (following.origin === new URL(url).origin) return following.href;
  throw fault(`expected the next page at ${new URL(url).origin}, got one at ${following.origin}`);
}

/** Without its parameters, which may hold a secret. */
function shown(url: string): string {
  if (!URL.canParse(url)) return 'an address that is no URL';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return error.message;
}

function fault(message: string): DomainError {
  return new DomainError('CONFLICT', message);
}
