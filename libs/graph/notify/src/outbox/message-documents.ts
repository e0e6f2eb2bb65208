/** What forgetting an entity does to messages that wait, and to those that were sent. */
import { type DocumentKind, type Erasure, keptDocuments } from '#graph/engine';
import { isFindingOf } from '#graph/policy';
import type { FeedChange } from '#graph/query';
import type { Delivery } from './delivery.ts';
import type { NotifiedItem } from './message.ts';
import { CHANGES_NAMESPACE, MESSAGE_NAMESPACES, MESSAGE_PREFIX } from './outbox.ts';

/** All documents of notifications. */
export const NOTIFY_DOCUMENTS: readonly DocumentKind[] = [
  ...MESSAGE_NAMESPACES.map((namespace): DocumentKind => ({
    namespace,
    prefix: MESSAGE_PREFIX,
    noun: 'message',
    without: withoutItems,
  })),
  keptDocuments(CHANGES_NAMESPACE, 'cursor/', 'place of a subscription'),
];

/** A message of nothing else is removed. Of a deletion, readers are told which record they have to forget. */
function withoutItems(value: unknown, erasure: Erasure): unknown {
  const delivery = value as Delivery;
  const { message } = delivery;
  const findings = message.findings.flatMap((item) => withoutEntity(item, erasure) ?? []);
  const isSame =
    findings.length === message.findings.length &&
    findings.every((item, at) => item === message.findings[at]);
  if (isSame) return erasure.redacted(value);
  const count = message.count - message.findings.length + findings.length;
  return count === 0
    ? undefined
    : erasure.redacted({ ...delivery, message: { ...message, findings, count } });
}

function withoutEntity(item: NotifiedItem, erasure: Erasure): NotifiedItem | undefined {
  if ('finding_id' in item) return isFindingOf(erasure, item) ? undefined : item;
  if (!('change' in item)) return item;
  const forgotten = forgottenBy(erasure, item);
  if (forgotten === undefined) return item;
  const { id, seq, at, who, change } = item;
  if (change !== 'deleted') return undefined;
  return { id, seq, at, ...(who !== undefined && { who }), change: 'forgotten', fields: [], forgotten };
}

/** The record of a change, if it is the entity or a relationship of it. */
function forgottenBy(erasure: Erasure, { entity, relationship }: FeedChange): FeedChange['forgotten'] {
  if (entity !== undefined) return erasure.isEntity(entity) ? { record: 'entity', id: entity.id } : undefined;
  if (relationship === undefined || !erasure.isRelationship(relationship)) return undefined;
  return { record: 'relationship', id: relationship.id };
}
