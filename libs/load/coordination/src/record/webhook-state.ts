/** What has become of the message about a run's end. */
export interface WebhookState {
  /** `failed`: the receiver refused it, or all attempts failed. */
  readonly state: 'pending' | 'delivered' | 'failed';
  readonly attempts: number;
  /** Why the last attempt failed; without secrets. */
  readonly reason: string | null;
}

export const NOT_SENT_YET: WebhookState = { state: 'pending', attempts: 0, reason: null };

/** Null for any value but a state. */
export function webhookStateOf(value: unknown): WebhookState | null {
  if (typeof value !== 'object' || value === null) return null;
  const { state, attempts, reason } = value as Partial<WebhookState>;
  if (state !== 'pending' && state !== 'delivered' && state !== 'failed') return null;
  return typeof attempts === 'number' ? { state, attempts, reason: reason ?? null } : null;
}
