/** Whether work for a client is in vain; looked at now and then, like an `AbortSignal`. */
export interface HangUp {
  readonly aborted: boolean;
}
