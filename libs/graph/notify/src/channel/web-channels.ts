import { bodySignature, WebTarget } from '#platform/delivery';
import type { Clock } from '#platform/foundation';
import type { SlackConfig, WebhookConfig } from '../config/notification-config.ts';
import type { NotificationMessage } from '../outbox/message.ts';
import { Channel } from './channel.port.ts';
import { linesOf, titleOf } from './message-text.ts';

const LINES_MAX = 20;

/** Posts the message as JSON, signed if there is a key. */
export class WebhookChannel extends Channel {
  readonly #target: WebTarget;
  readonly #config: WebhookConfig;
  readonly #clock: Clock;

  constructor(name: string, config: WebhookConfig, clock: Clock) {
    super();
    this.#target = new WebTarget(`channels.${name}`, config);
    this.#config = config;
    this.#clock = clock;
  }

  override send(message: NotificationMessage, signal: AbortSignal): Promise<void> {
    const body = JSON.stringify(message);
    const signed = bodySignature(this.#config.secret_env?.reveal(), body, this.#clock.nowMs());
    return this.#target.post(body, { 'plexus-event-id': message.id, ...signed }, signal);
  }

  override close(): Promise<void> {
    return this.#target.close();
  }
}

/** Posts text to an incoming webhook of Slack or a compatible service. */
export class SlackChannel extends Channel {
  readonly #target: WebTarget;

  constructor(name: string, config: SlackConfig) {
    super();
    this.#target = new WebTarget(`channels.${name}`, config);
  }

  override send(message: NotificationMessage, signal: AbortSignal): Promise<void> {
    const lines = linesOf(message, LINES_MAX).map((line) => `• ${escaped(line)}`);
    const text = [`*${escaped(titleOf(message))}*`, ...lines].join('\n');
    return this.#target.post(JSON.stringify({ text }), { 'plexus-event-id': message.id }, signal);
  }

  override close(): Promise<void> {
    return this.#target.close();
  }
}

/** Slack's control characters: https://api.slack.com/reference/surfaces/formatting#escaping */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
