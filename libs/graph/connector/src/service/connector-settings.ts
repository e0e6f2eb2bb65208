/** Where connectors are configured; a token, which an application provides with its settings. */
export abstract class ConnectorSettings {
  /** Directory of connector files; empty: there are none. */
  abstract readonly connectors: string;
}
