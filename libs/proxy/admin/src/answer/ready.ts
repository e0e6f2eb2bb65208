import type { ServerState } from '#proxy/engine';
import { answer, type Answer, CONTENT_TYPE } from './answer.ts';

/** GET /ready: the state's name and nothing else; 200 when it is LIVE. */
export function readyAnswer(state: ServerState): Answer {
  return answer(state === 'LIVE' ? 200 : 503, CONTENT_TYPE.text, state);
}
