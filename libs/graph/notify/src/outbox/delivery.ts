import type { NotificationMessage } from './message.ts';

export const DELIVERY_STATES = ['pending', 'delivered', 'given_up'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** A message on its way to one channel, as the store has it. */
export interface Delivery {
  /** Of all deliveries of this store, ascending. */
  readonly seq: number;
  readonly channel: string;
  readonly message: NotificationMessage;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** Of the next attempt; null when there is none. */
  readonly next_at: string | null;
  readonly ended_at: string | null;
  /** Of the last attempt that failed. Never a secret. */
  readonly error: string | null;
}
