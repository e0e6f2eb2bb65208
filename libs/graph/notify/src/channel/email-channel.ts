import { createTransport } from 'nodemailer';
import type { Options } from 'nodemailer/lib/smtp-transport';
import { DeliveryFailed, DeliveryRefused, reachableAddress } from '#platform/delivery';
import { countedText } from '#platform/foundation';
import type { EmailConfig } from '../config/notification-config.ts';
import type { NotificationMessage } from '../outbox/message.ts';
import { Channel } from './channel.port.ts';
import { linesOf, titleOf } from './message-text.ts';

const LINES_MAX = 100;
/** SMTP replies from here on are permanent. */
const PERMANENT = 500;

/** The server's refusal of a message, for one receiver or for all. */
interface Refusal {
  readonly code?: unknown;
  readonly responseCode?: unknown;
  readonly recipient?: unknown;
}

/** A message that the server has not accepted for all receivers. */
interface OpenMail {
  readonly id: string;
  /** The receivers to which the next attempt sends it. */
  readonly to: readonly string[];
  readonly refused: readonly Refusal[];
}

/**
 * Sends plain-text mail; one connection per mail, so that address changes of the server take effect. If the
 * server does not take it for some of the receivers, the next attempt is for these alone, until a restart;
 * those it refuses for good (5xx) are not tried again.
 */
export class EmailChannel extends Channel {
  readonly #config: EmailConfig;
  /** The last message, unless it was sent to all. */
  #open: OpenMail | undefined;

  constructor(config: EmailConfig) {
    super();
    this.#config = config;
  }

  override async send(message: NotificationMessage, signal: AbortSignal): Promise<void> {
    const { host, allow_private: allowed, from, to, timeout } = this.#config;
    const { address } = await reachableAddress(host, allowed);
    const transport = createTransport(this.#options(address));
    const open = this.#open?.id === message.id ? this.#open : { id: message.id, to, refused: [] };
    try {
      const sent = await transport.sendMail({
        from,
        to: [...to],
        envelope: { from, to: [...open.to] },
        subject: `[Plexus] ${titleOf(message)}`,
        messageId: `<${message.id}@plexus>`,
        text: `${[titleOf(message), '', ...linesOf(message, LINES_MAX)].join('\n')}\n`,
        // The transport's own limits are for silence: a server may answer slowly without end.
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
      });
      this.#requireAll(open, sent.rejectedErrors ?? []);
    } catch (error) {
      if (error instanceof DeliveryFailed) throw error;
      const refusals = refusalsIn(error);
      if (refusals.length > 0) this.#requireAll(open, refusals);
      if (isForGood(error)) throw new DeliveryRefused(`the mail was refused: ${codeOf(error)}`);
      throw new DeliveryFailed(`the mail was not taken: ${codeOf(error)}`);
    } finally {
      transport.close();
    }
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }

  /** Throws unless no receiver is left out. */
  #requireAll({ id, refused: before }: OpenMail, refusals: readonly Refusal[]): void {
    const later = refusals.filter((refusal) => !isForGood(refusal));
    const refused = [...before, ...refusals.filter(isForGood)];
    this.#open = later.length === 0 ? undefined : { id, to: later.map(receiverOf), refused };
    const missing = `${later.length + refused.length} of ${countedText(this.#config.to.length, 'receiver')}`;
    if (later[0] !== undefined)
      throw new DeliveryFailed(`the mail was not taken for ${missing}: ${codeOf(later[0])}`);
    if (refused[0] !== undefined)
      throw new DeliveryRefused(`the mail was refused for ${missing}: ${codeOf(refused[0])}`);
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

/** Whether the server refuses sender, receiver or mail (5xx); an error of the login is one of the channel. */
function isForGood(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, responseCode }: Refusal = error;
  return (
    (code === 'EENVELOPE' || code === 'EMESSAGE') &&
    typeof responseCode === 'number' &&
    responseCode >= PERMANENT
  );
}

/** The refusals by receiver, if the server refused all. */
function refusalsIn(error: unknown): readonly Refusal[] {
  if (typeof error !== 'object' || error === null || !('rejectedErrors' in error)) return [];
  return Array.isArray(error.rejectedErrors) ? (error.rejectedErrors as readonly Refusal[]) : [];
}

function receiverOf({ recipient }: Refusal): string {
  return String(recipient);
}

/** The SMTP step and reply code; the reply text may repeat secrets. */
function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
  const reply =
    'responseCode' in error && typeof error.responseCode === 'number' ? `, ${error.responseCode}` : '';
  return `${code}${reply}`;
}
