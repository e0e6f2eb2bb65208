import type { FeedChange } from '#graph/query';
import type { NotificationMessage, NotifiedItem } from '../outbox/message.ts';

/** Graph data may contain line breaks; they are removed. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

const TITLES = {
  opened: ['finding has opened', 'findings have opened'],
  resolved: ['finding is resolved', 'findings are resolved'],
  rule_error: ['rule could not be evaluated', 'rules could not be evaluated'],
  connector_failed: ['run of a connector failed', 'runs of connectors failed'],
  changed: ['record has changed', 'records have changed'],
} as const;

/** `3 findings have opened`. */
export function titleOf({ event, count }: NotificationMessage): string {
  if (event === 'test') return 'a test message';
  const [one, several] = TITLES[event];
  return `${count} ${count === 1 ? one : several}`;
}

/** The first items, one per line, and the number of further ones. */
export function linesOf({ findings, count }: NotificationMessage, linesMax: number): readonly string[] {
  const shown = findings.slice(0, linesMax).map((item) => lineOf(item).replaceAll(CONTROL, ' '));
  return count > shown.length ? [...shown, `and ${count - shown.length} more`] : shown;
}

function lineOf(item: NotifiedItem): string {
  if ('change' in item) return `${item.change}: ${labelOfChange(item)}`;
  if ('finding_id' in item) return `${item.severity}: ${item.rule}: ${item.label}`;
  if ('connector_id' in item)
    return `${item.connector_id}: ${item.status}: ${item.reason ?? 'no reason known'}`;
  return `${item.severity}: ${item.rule}: ${item.error}`;
}

/** `host web-01`, or `user ann ALLOWS table salaries`. */
export function labelOfChange({ entity, relationship, forgotten }: FeedChange): string {
  if (forgotten !== undefined) return `${forgotten.record} ${forgotten.id}`;
  if (relationship === undefined) return `${entity?.type ?? ''} ${entity?.key ?? ''}`;
  const { from, verb, to } = relationship;
  return `${from.type} ${from.key} ${verb} ${to.type} ${to.key}`;
}
