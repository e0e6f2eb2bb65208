/** Settings of notifications. */
export class NotifySettings {
  /** File or directory; empty: no notifications. */
  readonly notifications: string = '';
}
