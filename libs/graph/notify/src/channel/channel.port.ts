import type { NotificationMessage } from '../outbox/message.ts';

/** A destination of messages. A message may be delivered more than once, with the same id. */
export abstract class Channel {
  /** Resolves when the receiver has accepted the message. Rejects with `DeliveryFailed`, or if aborted. */
  abstract send(message: NotificationMessage, signal: AbortSignal): Promise<void>;
  abstract close(): Promise<void>;
}

/**
 * The receiver did not accept a message. The text is shown: it contains no secret and no text of the peer.
 */
export class DeliveryFailed extends Error {
  override readonly name: string = 'DeliveryFailed';
}

/** The receiver refuses this message for good: further attempts are useless, others may pass. */
export class DeliveryRefused extends DeliveryFailed {
  override readonly name = 'DeliveryRefused';
}
