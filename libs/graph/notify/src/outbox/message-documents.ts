/** What forgetting an entity does to messages that wait, and to those that were sent. */
import { type DocumentKind, type Erasure, keptDocuments } from '#graph/engine';
import { isFindingOf } from '#graph/policy';
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
  let isChanged = false;
  const findings = message.findings.flatMap((item) => {
    const next = withoutEntity(item, erasure);
    isChanged ||= next !== item;
    return next ?? [];
  });
  if (!isChanged) return erasure.redacted(value);
  const count = message.count - message.findings.length + findings.length;
  return count === 0
    ? undefined
    : erasure.redacted({ ...delivery, message: { ...message, findings, count } });
}

function withoutEntity(item: NotifiedItem, erasure: Erasure): NotifiedItem | undefined {
  if ('finding_id' in item) return isFindingOf(erasure, item) ? undefined : item;
  if (!('change' in item)) return item;
  const { id, seq, at, who, change, entity, relationship } = item;
  const isAbout =
    (entity !== undefined && erasure.isEntity(entity)) ||
    (relationship !== undefined && erasure.isRelationship(relationship));
  if (!isAbout) return item;
  if (change !== 'deleted') return undefined;
  const forgotten =
    entity === undefined
      ? { record: 'relationship' as const, id: relationship?.id ?? '' }
      : { record: 'entity' as const, id: entity.id };
  return { id, seq, at, ...(who !== undefined && { who }), change: 'forgotten', fields: [], forgotten };
}
