/** Server-sent events, one by one, until the reader is left. Throws where the server refuses or is gone. */
export async function* serverEvents(
  url: string,
  headers: Record<string, string> = {},
): AsyncGenerator<Readonly<Record<string, string>>> {
  const gone = new AbortController();
  const reply = await fetch(url, {
    headers: { Accept: 'text/event-stream', ...headers },
    signal: gone.signal,
  });
  if (reply.status !== 200 || reply.headers.get('content-type') !== 'text/event-stream')
    throw new Error(`expected a stream of events, got ${reply.status}: ${await reply.text()}`);
  let text = '';
  try {
    for await (const bytes of reply.body ?? []) {
      text += Buffer.from(bytes as Uint8Array).toString();
      const parts = text.split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts)
        yield Object.fromEntries(
          part.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]),
        );
    }
  } finally {
    gone.abort();
  }
}
