import { keyedFetch } from '../../kit/session/keyed-fetch.ts';
import { session } from '../../kit/session/session.svelte.ts';
import { client } from './generated/client.gen.ts';

/** Connects the generated client to the server of the page, with the session's key. Call it once. */
export function connectToService(): void {
  client.setConfig({ baseUrl: location.origin, fetch: keyedFetch(session) });
}
