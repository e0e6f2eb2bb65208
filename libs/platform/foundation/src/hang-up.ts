/** Whether the client is gone, so that work for it is useless. Polled, like an `AbortSignal`. */
export interface HangUp {
  readonly aborted: boolean;
}
