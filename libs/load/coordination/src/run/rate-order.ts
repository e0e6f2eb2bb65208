import { RATES_MAX } from '#load/protocol';
import { DomainError } from '#platform/foundation';
import { isSending } from '../record/run-state.ts';
import type { NumberedChange } from './run-event.ts';
import type { Run } from './run.ts';

const US_PER_MS = 1_000;
/** Time for the order to reach the edges, so that all of them change at the same time. */
const LEAD_MS = 500;

/** The time and the rate of a change ordered now. Throws RUN_ENDED, RUN_NOT_SENDING, INVALID_REQUEST. */
export function orderRate({ scenario, state, facts }: Run, rate: number, nowUs: number): NumberedChange {
  const { startedAtUs, timeline, rates } = facts;
  const fromUs = nowUs + LEAD_MS * US_PER_MS;
  if (scenario.load.model === 'closed')
    throw new DomainError('INVALID_REQUEST', 'rate: the load has users and no rate (load.model: closed)');
  if (rates.length >= RATES_MAX)
    throw new DomainError('INVALID_REQUEST', `rate: expected at most ${RATES_MAX} changes in one run`);
  if (startedAtUs === null || timeline === null) {
    const { phase, ending } = state;
    if (ending !== null) throw new DomainError('RUN_ENDED', 'the run has ended');
    const message = `expected a run that sends its load, this one is in the phase ${phase ?? 'none'}`;
    throw new DomainError('RUN_NOT_SENDING', message, { details: { phase } });
  }
  if (!isSending(state) || timeline.endUs <= fromUs)
    throw new DomainError('RUN_ENDED', 'the load has ended, or ends before the order arrives');
  const atMs = Math.max(0, Math.ceil((fromUs - startedAtUs) / US_PER_MS));
  return { number: rates.length + 1, atMs, rate };
}
