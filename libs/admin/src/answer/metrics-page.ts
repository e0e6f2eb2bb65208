import { answer, type Answer, CONTENT_TYPE } from './answer.ts';

/** GET /stats: the text format whatever Accept says; OpenMetrics would add `_total` to a specified name. */
export function metricsAnswer(text: string): Answer {
  return answer(200, CONTENT_TYPE.metrics, text);
}
