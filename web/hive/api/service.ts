import { keyedFetch } from '../../kit/session/keyed-fetch.ts';
import { session } from '../../kit/session/session.svelte.ts';
import { client } from './generated/client.gen.ts';

/** Lets the generated client ask the server that the page came from, with the session's key. Call it once. */
export function connectToService(): void {
  client.setConfig({ baseUrl: location.origin, fetch: keyedFetch(session) });
}
