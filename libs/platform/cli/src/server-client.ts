import { DomainError, ERROR_CATALOGUE, type ErrorCode, type Secret } from '#platform/foundation';
import { type ServerAddress, serverAddress } from './server-address.ts';

/** Where the server is, and the key for it. */
interface ServerSettings {
  readonly url: string;
  readonly apiKey?: Secret | undefined;
}

interface ServerClientOptions {
  /** Called once, before the first request. */
  readonly trust: () => Promise<void>;
  /** The error where no reply arrives, or only a part of it. */
  readonly silence: (base: string, cause: unknown) => DomainError;
}

const MESSAGE_CHARACTERS_MAX = 10_000;

/**
 * An HTTP client of one of our servers, which sends the key with every request. What else answers at the
 * address gets no second request: a redirect is not followed, and what is no JSON object is an error.
 */
export class ServerClient {
  readonly #address: ServerAddress;
  readonly #options: ServerClientOptions;
  #trusting: Promise<void> | undefined;

  /** Throws UsageError. */
  constructor({ url, apiKey }: ServerSettings, options: ServerClientOptions) {
    this.#address = serverAddress(url, apiKey);
    this.#options = options;
  }

  /** The URL without user and password. */
  get base(): string {
    return this.#address.base;
  }

  /** A successful reply. Throws the error that the server states. */
  async call(path: string, request: RequestInit = {}): Promise<Response> {
    const reply = await this.send(path, request);
    if (!reply.ok) throw await this.#errorOf(reply);
    return reply;
  }

  /** The object in a successful reply. */
  async json<Reply>(path: string, request: RequestInit = {}): Promise<Reply> {
    const text = await (await this.call(path, request)).text().catch((cause: unknown) => {
      throw this.#options.silence(this.base, cause);
    });
    const value = objectIn(text);
    if (value === undefined) {
      throw new DomainError('STORE_UNAVAILABLE', `expected JSON of a server of Plexus from ${this.base}`);
    }
    return value as Reply;
  }

  /** The reply, of whatever status. */
  async send(path: string, request: RequestInit = {}): Promise<Response> {
    this.#trusting ??= this.#options.trust();
    await this.#trusting;
    const headers = { ...(request.headers as Record<string, string>), ...this.#address.headers };
    return fetch(this.base + path, { ...request, headers, redirect: 'manual' }).catch((cause: unknown) => {
      throw this.#options.silence(this.base, cause);
    });
  }

  async #errorOf(reply: Response): Promise<DomainError> {
    const body = objectIn(await reply.text().catch(() => '')) ?? {};
    const { error, details } = body;
    const message = typeof body['message'] === 'string' ? body['message'] : this.#statusText(reply);
    const bounded = message.slice(0, MESSAGE_CHARACTERS_MAX);
    if (!isErrorCode(error)) return new DomainError('INVALID_REQUEST', bounded);
    return new DomainError(error, bounded, { details: (details ?? {}) as Record<string, unknown> });
  }

  #statusText({ status, headers }: Response): string {
    const target = URL.parse(headers.get('location') ?? '', this.base)?.origin;
    const isRedirect = status >= 300 && status < 400 && target !== undefined;
    return isRedirect
      ? `${this.base} redirects to ${target}: name that address with --url`
      : `HTTP ${status}`;
  }
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERROR_CATALOGUE, code);
}
