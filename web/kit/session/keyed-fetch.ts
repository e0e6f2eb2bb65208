import { PAGE_HEADERS, type Session } from './session.svelte.ts';

/**
 * A `fetch` that sends the session's key. When the service rejects the key, the user is prompted for another
 * one and the request is sent again; its body is kept until then.
 */
export function keyedFetch(session: Session): typeof fetch {
  return async (input, init) => {
    const asked = new Request(input, init);
    for (const [name, value] of Object.entries(PAGE_HEADERS)) asked.headers.set(name, value);
    for (;;) {
      const { key } = session;
      const request = asked.clone();
      if (key !== undefined) request.headers.set('Authorization', `Bearer ${key}`);
      const reply = await fetch(request);
      if (reply.status !== 401) return reply;
      await reply.body?.cancel();
      await Promise.race([session.renew(key), abortOf(asked.signal)]);
    }
  };
}

function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = (): void => reject(new DOMException('aborted', 'AbortError'));
    signal.addEventListener('abort', abort, { once: true });
  });
}
