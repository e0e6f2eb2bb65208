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

/** The URL of the page after this one, absolute or relative to it; undefined after the last. */
export type NextPage = (page: SourcePage) => string | undefined;

type Waiting = Pick<StepContext<unknown>, 'signal' | 'sleep'>;

export interface SourceClient {
  /** Throws CONFLICT for an answer that is neither a success nor JSON, with its status. */
  json(context: Waiting, url: string): Promise<unknown>;
  /** All pages. By default, the header `Link` names the next one. Throws for a page that comes twice. */
  pages(context: Waiting, url: string, next?: NextPage): AsyncGenerator<SourcePage>;
}

export function sourceClient(options: SourceClientOptions = {}): SourceClient {
  const reader = new SourceReader(options);
  return {
    json: async (context, url) => (await reader.page(context, url)).body,
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

  async page(context: Waiting, url: string): Promise<SourcePage> {
    const { attempts = ATTEMPTS } = this.#options;
    for (let attempt = 1; ; attempt++) {
      await this.#waitForTurn(context);
      const answer = await this.#request(context, url);
      if ('page' in answer) return answer.page;
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
  async #request(context: Waiting, url: string): Promise<{ readonly page: SourcePage } | Refusal> {
    const { headers = {}, timeoutMs = TIMEOUT_MS } = this.#options;
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const given = { Accept: 'application/json', ...headers };
      // Elsewhere, the headers would tell the secret to another service.
      const reply = await fetch(url, { headers: given, signal, redirect: 'manual' });
      if (reply.ok) return { page: { body: await bodyOf(reply, url), headers: reply.headers, url } };
      await reply.body?.cancel();
      const refused = `${shown(url)} answered ${reply.status}`;
      if (!PASSING.has(reply.status)) throw fault(refused);
      return { refused, afterMs: retryAfterMs(reply.headers, Date.now()) };
    } catch (error) {
      context.signal.throwIfAborted();
      if (error instanceof DomainError) throw error;
      return { refused: `${shown(url)} did not answer: ${reasonOf(error)}`, afterMs: undefined };
    }
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
