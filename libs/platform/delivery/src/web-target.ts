import { Agent, request } from 'undici';
import { DomainError, type Secret } from '#platform/foundation';
import { DeliveryFailed, DeliveryRefused } from './delivery-failure.ts';
import { reachableAddress } from './public-address.ts';

const REPLY_BYTES_MAX = 65_536;
/** Request Timeout, Too Early and Too Many Requests: the same message may pass later. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

export interface WebTargetConfig {
  readonly url?: string | undefined;
  readonly url_env?: Secret | undefined;
  readonly allow_private: readonly string[];
  /** Milliseconds per attempt. */
  readonly timeout: number;
}

/**
 * An HTTP endpoint for POST requests. Redirects are not followed; private addresses need permission.
 */
export class WebTarget {
  readonly #url: URL;
  readonly #config: WebTargetConfig;
  readonly #agent: Agent;
  readonly #authorization: Readonly<Record<string, string>>;

  /** `where` names the configuration in errors. Throws INVALID_CONFIG for an invalid URL. */
  constructor(where: string, config: WebTargetConfig) {
    this.#config = config;
    const url = URL.parse(config.url ?? config.url_env?.reveal() ?? '');
    if (url === null || !/^https?:$/.test(url.protocol)) {
      throw new DomainError('INVALID_CONFIG', `${where}: expected an http or https URL`);
    }
    this.#authorization = basicOf(where, url, config);
    url.username = '';
    url.password = '';
    this.#url = url;
    const { timeout } = config;
    this.#agent = new Agent({
      headersTimeout: timeout,
      bodyTimeout: timeout,
      keepAliveTimeout: 1_000,
      connect: {
        timeout,
        lookup: (host, _options, callback) => {
          reachableAddress(host, config.allow_private).then(
            (found) => callback(null, [found]),
            (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), []),
          );
        },
      },
    });
  }

  /** Resolves when the answer is 2xx. Throws DeliveryFailed, and DeliveryRefused for most of 4xx. */
  async post(body: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void> {
    const { allow_private: allowed, timeout } = this.#config;
    // An IP address in the URL is never resolved.
    await reachableAddress(this.#url.hostname, allowed);
    const status = await this.#statusOf(
      body,
      headers,
      AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
    );
    if (status >= 300 && status < 400) {
      throw new DeliveryFailed(`answered ${status}: redirects are not followed`);
    }
    if (status >= 400 && status < 500 && !PASSING.has(status)) {
      throw new DeliveryRefused(`answered ${status}: refused, not sent again`);
    }
    if (status < 200 || status >= 300) throw new DeliveryFailed(`answered ${status}`);
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async #statusOf(
    body: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<number> {
    try {
      const reply = await request(this.#url, {
        dispatcher: this.#agent,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'plexus',
          ...this.#authorization,
          ...headers,
        },
        body,
        signal,
      });
      // The status is the answer, whatever becomes of the body; reading it only keeps the connection usable.
      await reply.body.dump({ limit: REPLY_BYTES_MAX, signal }).catch(() => undefined);
      return reply.statusCode;
    } catch (error) {
      if (error instanceof DeliveryFailed) throw error;
      throw new DeliveryFailed(`could not be reached: ${codeOf(error)}`);
    }
  }
}

/**
 * The credentials of a URL, as clients send them (RFC 7617). Throws INVALID_CONFIG for a password in the
 * file, and for escapes that are not UTF-8.
 */
function basicOf(
  where: string,
  { username, password }: URL,
  config: WebTargetConfig,
): Readonly<Record<string, string>> {
  if (username === '' && password === '') return {};
  if (config.url !== undefined) {
    const message = `${where}.url: expected no password: put the URL into a variable, url_env`;
    throw new DomainError('INVALID_CONFIG', message);
  }
  try {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return { authorization: `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}` };
  } catch (cause) {
    const message = `${where}.url_env: expected percent-encoded UTF-8 for user and password`;
    throw new DomainError('INVALID_CONFIG', message, { cause });
  }
}

/** The cause, without the URL, which may be a secret. */
function codeOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string') {
    return error.code;
  }
  return error instanceof Error ? error.name : 'unknown';
}
