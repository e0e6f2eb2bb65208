import type { Log } from '#platform/observability';
import type { GraphSettings } from '../../settings.ts';
import { HttpTarget } from '../target/http-target.ts';
import { HttpAnswers } from './http-answers.ts';
import type { OpenAnswers } from './local-answers.ts';

interface ReachableAnswers extends OpenAnswers {
  /** Throws STORE_UNAVAILABLE if no server answers. */
  readonly reach: () => Promise<void>;
}

/** Answers of the server in the settings; without one, of the data directory. */
export async function openAnswers(settings: GraphSettings, log: Log): Promise<ReachableAnswers> {
  if (settings.url !== '') {
    const target = new HttpTarget(settings);
    return {
      answers: new HttpAnswers(target),
      reach: () => target.reach(),
      close: () => target.close(),
    };
  }
  const { openLocalAnswers } = await import('./local-answers.ts');
  return { ...(await openLocalAnswers(settings, log)), reach: () => Promise.resolve() };
}
