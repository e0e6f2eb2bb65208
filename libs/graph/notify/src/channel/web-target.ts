import { Agent, request } from 'undici';
import { DomainError, type Secret } from '#platform/foundation';
import { DeliveryFailed } from './channel.port.ts';
import { reachableAddress } from './public-address.ts';

const REPLY_BYTES_MAX = 65_536;

export interface WebTargetConfig {
  readonly url?: string | undefined;
  readonly url_env?: Secret | undefined;
  readonly allow_private: readonly string[];
  /** Milliseconds per attempt. */
  readonly timeout: number;
}

/** An HTTP endpoint for POST requests. Redirects are not followed. */
export class WebTarget {
  readonly #url: URL;
  readonly #config: WebTargetConfig;
  readonly #agent: Agent;

  /** Throws INVALID_CONFIG for an invalid URL. */
  constructor(name: string, config: WebTargetConfig) {
    this.#config = config;
    const url = URL.parse(config.url ?? config.url_env?.reveal() ?? '');
    if (url === null || !/^https?:$/.test(url.protocol)) {
      throw new DomainError('INVALID_CONFIG', `channels.${name}: expected an http or https URL`);
    }
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

  /** Resolves when the answer is 2xx. Throws DeliveryFailed. */
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
        headers: { 'content-type': 'application/json', 'user-agent': 'plexus', ...headers },
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

/** The cause, without the URL, which may be a secret. */
function codeOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string') {
    return error.code;
  }
  return error instanceof Error ? error.name : 'unknown';
}
