import type { Log } from '#platform/observability';
import type { GraphSettings } from '../../settings.ts';
import { HttpTarget } from '../target/http-target.ts';
import { HttpAnswers } from './http-answers.ts';
import type { OpenAnswers } from './local-answers.ts';

/** Answers of the server in the settings; without one, of the data directory. */
export async function openAnswers(settings: GraphSettings, log: Log): Promise<OpenAnswers> {
  if (settings.url !== '') {
    const target = new HttpTarget(settings);
    return { answers: new HttpAnswers(target), close: () => target.close() };
  }
  const { openLocalAnswers } = await import('./local-answers.ts');
  return openLocalAnswers(settings, log);
}
