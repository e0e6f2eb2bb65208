/** A stored reply: JSON `{"at": <ms>, "reply": …}`. */
export interface StoredReply<Reply> {
  /** Time of the reply. */
  readonly atMs: number;
  readonly reply: Reply;
}

export function encodeReply(stored: StoredReply<object>): Uint8Array {
  return Buffer.from(JSON.stringify({ at: stored.atMs, reply: stored.reply }), 'utf8');
}

export function decodeReply<Reply>(value: Uint8Array): StoredReply<Reply> {
  const { at, reply } = JSON.parse(Buffer.from(value).toString('utf8')) as { at: number; reply: Reply };
  return { atMs: at, reply };
}
