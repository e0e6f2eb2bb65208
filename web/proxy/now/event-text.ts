import { clockText } from '../../kit/parts/format-value.ts';
import type { ProxyEvent } from '../feed/proxy-state.ts';

export type EventKind = 'good' | 'warn' | 'bad' | 'none';

/** The filter of the list: all events, degradations, or one type. */
export type EventChoice = 'all' | 'problems' | ProxyEvent['type'];

export const EVENT_CHOICES: Readonly<Record<EventChoice, string>> = {
  all: 'All events',
  problems: 'Problems',
  endpoint_health: 'Health',
  endpoint_ejected: 'Ejections',
  endpoint_returned: 'Returns',
  endpoint_switched: 'Switches',
  endpoint_resolved: 'Names',
  breaker_tripped: 'Limits',
  upstream_failure: 'Upstream failures',
  worker_state: 'Workers',
  config_reload: 'Reloads',
  server_state: 'States',
};

type Texts = {
  readonly [Type in ProxyEvent['type']]: (
    event: Extract<ProxyEvent, { readonly type: Type }>,
  ) => readonly [EventKind, string];
};

const TEXTS: Texts = {
  endpoint_health: (event) => [
    event.healthy ? 'good' : 'bad',
    `${placeOf(event)} is ${event.healthy ? 'healthy' : 'not healthy'}: ${event.reason}`,
  ],
  endpoint_ejected: (event) => [
    'warn',
    `${placeOf(event)} is ejected until ${clockText(event.until_ms)}: ${event.reason}`,
  ],
  endpoint_returned: (event) => ['good', `${placeOf(event)} has returned from its ejection`],
  endpoint_switched: (event) => [
    'none',
    `${placeOf(event)} was ${event.is_enabled ? 'enabled' : 'disabled'}`,
  ],
  endpoint_resolved: (event) =>
    event.fault === undefined
      ? ['none', `${placeOf(event)} resolves to ${event.targets.join(', ') || 'nothing'}`]
      : ['bad', `${placeOf(event)} cannot be resolved: ${event.fault}`],
  breaker_tripped: ({ cluster, limit, max, rejected }) => [
    'bad',
    `${cluster} rejects requests: ${limit} of ${max} reached, ${rejected} rejected`,
  ],
  upstream_failure: ({ cluster, failures, reason, code, target }) => [
    'bad',
    `${cluster}: ${failures} failed, ${reason.replaceAll('_', ' ')}` +
      (code === undefined ? '' : ` (${code})`) +
      (target === undefined ? '' : ` at ${target}`),
  ],
  worker_state: ({ worker, is_serving, reason }) => [
    is_serving ? 'good' : 'bad',
    `worker ${worker} ${is_serving ? 'serves' : 'has ended'}: ${reason}`,
  ],
  config_reload: ({ result, faults }) => [
    result === 'rejected' ? 'bad' : 'none',
    `configuration ${result}${faults.length === 0 ? '' : `: ${faults.join('; ')}`}`,
  ],
  server_state: ({ state }) => [state === 'LIVE' ? 'good' : 'warn', `the proxy is ${state}`],
};

/** The text of an event, and whether it is good news. */
export function eventText(event: ProxyEvent): readonly [EventKind, string] {
  const textOf = TEXTS[event.type] as (event: ProxyEvent) => readonly [EventKind, string];
  return textOf(event);
}

export function isListed(event: ProxyEvent, choice: EventChoice, words: string): boolean {
  const [kind, text] = eventText(event);
  if (choice === 'problems' ? kind !== 'bad' && kind !== 'warn' : choice !== 'all' && choice !== event.type)
    return false;
  const haystack = text.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => haystack.includes(word));
}

function placeOf({
  cluster,
  address,
  target,
}: {
  readonly cluster: string;
  readonly address: string;
  readonly target?: string;
}): string {
  const resolved = target === undefined || target === address ? '' : ` (${target})`;
  return `${cluster} ${address}${resolved}`;
}
