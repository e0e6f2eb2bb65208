import type { NotificationMessage } from '../outbox/message.ts';

/** A destination of messages. A message may be delivered more than once, with the same id. */
export abstract class Channel {
  /** Resolves when the receiver has accepted the message. Rejects with `DeliveryFailed`, or if aborted. */
  abstract send(message: NotificationMessage, signal: AbortSignal): Promise<void>;
  abstract close(): Promise<void>;
}
