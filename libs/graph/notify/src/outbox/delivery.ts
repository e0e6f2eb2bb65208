import type { NotificationMessage } from './message.ts';

export const DELIVERY_STATES = ['pending', 'delivered', 'given_up'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The delivery of a message to one channel, as stored. */
export interface Delivery {
  /** Ascending over all deliveries of this store. */
  readonly seq: number;
  readonly channel: string;
  readonly message: NotificationMessage;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** Time of the next attempt; null if there is none. */
  readonly next_at: string | null;
  readonly ended_at: string | null;
  /** Error of the last failed attempt. Never a secret. */
  readonly error: string | null;
}
