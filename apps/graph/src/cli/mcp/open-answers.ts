import type { Log } from '#platform/observability';
import type { GraphSettings } from '../../settings.ts';
import { HttpTarget } from '../target/http-target.ts';
import { HttpAnswers } from './http-answers.ts';
import type { OpenAnswers } from './local-answers.ts';

/** Of the server that the settings name, else of the data directory, which a flag may prefer. */
export async function openAnswers(
  settings: GraphSettings,
  log: Log,
  isOfDirectory: boolean,
): Promise<OpenAnswers> {
  if (settings.url !== '' && !isOfDirectory) {
    const target = new HttpTarget(settings.url, settings.apiKey);
    return { answers: new HttpAnswers(target), close: () => target.close() };
  }
  const { openLocalAnswers } = await import('./local-answers.ts');
  return openLocalAnswers(settings, log);
}
