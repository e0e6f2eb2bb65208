import { hash } from 'node:crypto';
import type { RunRecord } from '#graph/connector';
import type { EvaluationNews, FindingNote, Rule } from '#graph/policy';
import type { FeedChange } from '#graph/query';
import type { NotificationEvent, Subscription } from '../config/notification-config.ts';

/** Maximum number of findings in a message; the others are counted. */
export const FINDINGS_SHOWN_MAX = 100;
const ID_HEX_LENGTH = 32;

/** The part of a message about one finding, one rule or one run. */
export interface NotifiedFinding {
  readonly finding_id: string;
  readonly rule_id: string;
  readonly rule: string;
  readonly severity: string;
  readonly frameworks: readonly string[];
  readonly label: string;
  readonly class: string | null;
  readonly first_seen: string;
}

export interface NotifiedRule {
  readonly rule_id: string;
  readonly rule: string;
  readonly severity: string;
  readonly error: string;
}

export interface NotifiedRun {
  readonly connector_id: string;
  readonly run_id: string;
  readonly status: string;
  readonly reason: string | null;
}

export type NotifiedItem = NotifiedFinding | NotifiedRule | NotifiedRun | FeedChange;

/** The body of a webhook. `id` is the same in every attempt; `more` counts the findings left out. */
export interface NotificationMessage {
  readonly id: string;
  readonly event: NotificationEvent | 'test';
  readonly at: string;
  readonly count: number;
  readonly findings: readonly NotifiedItem[];
  readonly more: number;
}

/** An event, with the attributes that subscriptions filter by. */
interface Notice {
  readonly event: NotificationEvent;
  readonly rule?: Rule;
  readonly class?: string | null;
  readonly connectorId?: string;
  readonly item: NotifiedItem;
}

export interface Addressed {
  readonly channel: string;
  readonly message: NotificationMessage;
}

/** One message for each channel and event, whatever the number of findings and subscriptions. */
export function messagesOf(
  origin: { readonly id: string; readonly at: string },
  notices: readonly Notice[],
  subscriptions: readonly Subscription[],
): readonly Addressed[] {
  const chosen = new Map<string, Notice[]>();
  for (const one of notices) {
    const channels = new Set(subscriptions.filter((each) => isChosen(one, each)).flatMap(({ to }) => to));
    for (const channel of channels) {
      const key = `${one.event} ${channel}`;
      const list = chosen.get(key);
      if (list === undefined) chosen.set(key, [one]);
      else list.push(one);
    }
  }
  return Array.from(chosen, ([key, list]) => {
    const [event, channel] = key.split(' ') as [NotificationEvent, string];
    const id = hash('sha256', `${origin.id} ${key}`).slice(0, ID_HEX_LENGTH);
    const findings = list.slice(0, FINDINGS_SHOWN_MAX).map(({ item }) => item);
    const count = list.length;
    return { channel, message: { id, event, at: origin.at, count, findings, more: count - findings.length } };
  });
}

/** Messages with all changes, in order, for each channel. */
export function changeMessages(
  changes: readonly FeedChange[],
  channels: readonly string[],
): readonly Addressed[] {
  const messages: Addressed[] = [];
  for (let at = 0; at < changes.length; at += FINDINGS_SHOWN_MAX) {
    const findings = changes.slice(at, at + FINDINGS_SHOWN_MAX);
    const [first] = findings;
    if (first === undefined) break;
    for (const channel of new Set(channels)) {
      const id = hash('sha256', `${first.id} changed ${channel}`).slice(0, ID_HEX_LENGTH);
      const message = {
        id,
        event: 'changed',
        at: first.at,
        count: findings.length,
        findings,
        more: 0,
      } as const;
      messages.push({ channel, message });
    }
  }
  return messages;
}

export function noticesOfEvaluation({ rules }: EvaluationNews): readonly Notice[] {
  return rules.flatMap(({ rule, opened, resolved, error }) => [
    ...opened.map((note) => noticeOfFinding('opened', rule, note)),
    ...resolved.map((note) => noticeOfFinding('resolved', rule, note)),
    ...(error === null ? [] : [{ event: 'rule_error' as const, rule, item: ruleItem(rule, error) }]),
  ]);
}

export function noticesOfRun({ connector_id, run_id, status, reason }: RunRecord): readonly Notice[] {
  const item = { connector_id, run_id, status, reason: reason ?? null };
  return status === 'complete' ? [] : [{ event: 'connector_failed', connectorId: connector_id, item }];
}

function noticeOfFinding(event: 'opened' | 'resolved', rule: Rule, note: FindingNote): Notice {
  const { finding_id, label, first_seen } = note;
  const entityClass = note.class ?? null;
  const { rule_id, rule: name, severity } = ruleItem(rule, '');
  const frameworks = rule.frameworks.map(({ framework, control }) => `${framework} ${control}`);
  const item = {
    finding_id,
    rule_id,
    rule: name,
    severity,
    frameworks,
    label,
    class: entityClass,
    first_seen,
  };
  return { event, rule, class: entityClass, item };
}

function ruleItem({ id, name, severity }: Rule, error: string): NotifiedRule {
  return { rule_id: id, rule: name, severity, error };
}

function isChosen({ event, rule, class: entityClass, connectorId }: Notice, wanted: Subscription): boolean {
  return (
    wanted.on.includes(event) &&
    isAmong(wanted.severity, rule && [rule.severity]) &&
    isAmong(
      wanted.framework,
      rule?.frameworks.map(({ framework }) => framework),
    ) &&
    isAmong(wanted.rule, rule && [rule.id]) &&
    isAmong(wanted.class, entityClass === undefined || entityClass === null ? [] : [entityClass]) &&
    isAmong(wanted.connector, connectorId === undefined ? [] : [connectorId])
  );
}

/** A missing filter matches everything; a present one does not match events without the attribute. */
function isAmong(wanted: readonly string[] | undefined, has: readonly string[] | undefined): boolean {
  return wanted === undefined || (has ?? []).some((one) => wanted.includes(one));
}
