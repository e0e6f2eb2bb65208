import type { NotificationMessage } from '../outbox/message.ts';

/** Where messages go. A message may come more than once; its id is the same. */
export abstract class Channel {
  /** Resolves when the other side has taken it. Rejects with `DeliveryFailed`, or when it is aborted. */
  abstract send(message: NotificationMessage, signal: AbortSignal): Promise<void>;
  abstract close(): Promise<void>;
}

/** The other side did not take a message. The text is shown: it holds no secret, nor what the peer sent. */
export class DeliveryFailed extends Error {
  override readonly name = 'DeliveryFailed';
}
