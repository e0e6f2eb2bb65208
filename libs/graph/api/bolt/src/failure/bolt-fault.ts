/** A fault of the protocol or the session itself, which no statement has caused. */
export class BoltFault extends Error {
  /** The code that Neo4j gives such an error. */
  readonly code: string;
  /** Whether the connection cannot go on: it is closed after the reply. */
  readonly isFatal: boolean;

  constructor(code: string, message: string, { isFatal = false }: { readonly isFatal?: boolean } = {}) {
    super(message);
    this.code = code;
    this.isFatal = isFatal;
  }
}

/** A message that is understood, but has another form or stands at another place than the protocol says. */
export function invalidRequest(message: string, isFatal = false): BoltFault {
  return new BoltFault('Neo.ClientError.Request.Invalid', message, { isFatal });
}
