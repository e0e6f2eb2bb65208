import { createTransport } from 'nodemailer';
import type { Options, SentMessageInfo } from 'nodemailer/lib/smtp-transport';
import type { EmailConfig } from '../config/notification-config.ts';
import type { NotificationMessage } from '../outbox/message.ts';
import { Channel, DeliveryFailed } from './channel.port.ts';
import { linesOf, titleOf } from './message-text.ts';
import { reachableAddress } from './public-address.ts';

const LINES_MAX = 100;

/**
 * Sends plain-text mail; one connection per mail, so that address changes of the server take effect. If the
 * server refuses some of the receivers, the next attempt is for these alone, until a restart.
 */
export class EmailChannel extends Channel {
  readonly #config: EmailConfig;
  /** Of the last message, the receivers that have not got it. */
  #refused: { readonly id: string; readonly to: readonly string[] } | undefined;

  constructor(config: EmailConfig) {
    super();
    this.#config = config;
  }

  override async send(message: NotificationMessage, signal: AbortSignal): Promise<void> {
    const { host, allow_private: allowed, from, to, timeout } = this.#config;
    const { address } = await reachableAddress(host, allowed);
    const transport = createTransport(this.#options(address));
    const receivers = this.#refused?.id === message.id ? this.#refused.to : to;
    try {
      const sent = await transport.sendMail({
        from,
        to: [...to],
        envelope: { from, to: [...receivers] },
        subject: `[Plexus] ${titleOf(message)}`,
        messageId: `<${message.id}@plexus>`,
        text: `${[titleOf(message), '', ...linesOf(message, LINES_MAX)].join('\n')}\n`,
        // The transport's own limits are for silence: a server may answer slowly without end.
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
      });
      this.#requireAll(message, sent, to.length);
    } catch (error) {
      throw error instanceof DeliveryFailed
        ? error
        : new DeliveryFailed(`the mail was not taken: ${codeOf(error)}`);
    } finally {
      transport.close();
    }
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }

  #requireAll({ id }: NotificationMessage, { rejected, rejectedErrors }: SentMessageInfo, all: number): void {
    this.#refused = rejected.length === 0 ? undefined : { id, to: rejected };
    if (rejected.length === 0) return;
    const code = codeOf(rejectedErrors?.[0]);
    throw new DeliveryFailed(`the mail was not taken for ${rejected.length} of ${all} receivers: ${code}`);
  }

  #options(address: string): Options {
    const { host, port, tls, ca_env: ca, user, password_env: password, timeout } = this.#config;
    return {
      host: address,
      port,
      secure: tls === 'implicit',
      requireTLS: tls === 'starttls',
      ignoreTLS: tls === 'off',
      tls: { servername: host, ...(ca && { ca: ca.reveal() }) },
      ...(user !== undefined && { auth: { user, pass: password?.reveal() ?? '' } }),
      connectionTimeout: timeout,
      greetingTimeout: timeout,
      socketTimeout: timeout,
      disableFileAccess: true,
      disableUrlAccess: true,
    };
  }
}

/** The SMTP step and reply code; the reply text may repeat secrets. */
function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
  const reply =
    'responseCode' in error && typeof error.responseCode === 'number' ? `, ${error.responseCode}` : '';
  return `${code}${reply}`;
}
