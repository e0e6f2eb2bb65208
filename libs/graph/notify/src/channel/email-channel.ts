import { createTransport } from 'nodemailer';
import type { EmailConfig } from '../config/notification-config.ts';
import type { NotificationMessage } from '../outbox/message.ts';
import { Channel, DeliveryFailed } from './channel.port.ts';
import { linesOf, titleOf } from './message-text.ts';
import { reachableAddress } from './public-address.ts';

const LINES_MAX = 100;

/** Sends plain-text mail; one connection per mail, so that address changes of the server take effect. */
export class EmailChannel extends Channel {
  readonly #config: EmailConfig;

  constructor(config: EmailConfig) {
    super();
    this.#config = config;
  }

  override async send(message: NotificationMessage, signal: AbortSignal): Promise<void> {
    const { host, allow_private: allowed, from, to, timeout } = this.#config;
    const { address } = await reachableAddress(host, allowed);
    const transport = createTransport(this.#options(address));
    try {
      const id = `<${message.id}@plexus>`;
      const text = `${[titleOf(message), '', ...linesOf(message, LINES_MAX)].join('\n')}\n`;
      await transport.sendMail({
        from,
        to: [...to],
        subject: `[Plexus] ${titleOf(message)}`,
        messageId: id,
        text,
        // The transport's own limits are for silence: a server may answer slowly without end.
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
      });
    } catch (error) {
      throw new DeliveryFailed(failureOf(error));
    } finally {
      transport.close();
    }
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }

  #options(address: string): Parameters<typeof createTransport>[0] {
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
function failureOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'the mail was not taken';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
  const reply =
    'responseCode' in error && typeof error.responseCode === 'number' ? `, ${error.responseCode}` : '';
  return `the mail was not taken: ${code}${reply}`;
}
