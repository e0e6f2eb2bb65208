import { countedText } from '../../kit/parts/format-value.ts';
import type { DeliveryDto, NoticeDto } from '../api/generated/types.gen.ts';

export type DeliveryState = DeliveryDto['state'];

/** The states in the order of a delivery's progress. */
export const STATES: readonly DeliveryState[] = ['pending', 'delivered', 'given_up'];

export const STATE_WORDS: Readonly<Record<DeliveryState, string>> = {
  pending: 'waiting',
  delivered: 'delivered',
  given_up: 'given up',
};

/** Parses a part of the address, which may be any text. */
export function stateOf(word: string | undefined): DeliveryState | undefined {
  return STATES.find((state) => state === word);
}

/** The status mark: a pending delivery that has failed before is shown differently from a new one. */
export function markOf({ state, attempts }: Pick<DeliveryDto, 'state' | 'attempts'>): string {
  return state === 'pending' && attempts > 0 ? 'failing' : STATE_WORDS[state];
}

const EVENTS: Readonly<Record<string, readonly [string, string]>> = {
  opened: ['finding opened', 'findings opened'],
  resolved: ['finding resolved', 'findings resolved'],
  rule_error: ['rule could not be evaluated', 'rules could not be evaluated'],
  connector_failed: ['run of a connector failed', 'runs of connectors failed'],
};

/** `240 findings opened`. */
export function eventText({ event, count }: Pick<DeliveryDto, 'event' | 'count'>): string {
  const [one, many] = EVENTS[event] ?? [event, event];
  return countedText(count, one, many);
}

export function triesText(attempts: number): string {
  return countedText(attempts, 'try', 'tries');
}

/** Findings grouped by rule, in the order of the rules; rules and runs each on their own. */
export function byRule(about: readonly NoticeDto[]): readonly (readonly [string, readonly NoticeDto[]])[] {
  const groups = new Map<string, NoticeDto[]>();
  for (const notice of about) {
    const name = (notice.finding_id === null ? null : notice.rule) ?? '';
    groups.set(name, [...(groups.get(name) ?? []), notice]);
  }
  return [...groups];
}
