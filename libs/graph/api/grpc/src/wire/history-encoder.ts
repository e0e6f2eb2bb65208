import type { Difference } from '#graph/engine';
import type { Source } from '#graph/model';
import type { FeedChange, FeedMessage, RecordDiffReply } from '#graph/query';
import type {
  ChangeKindSent,
  ChangeSent,
  ChangesReplySent,
  DifferenceSent,
  DiffReplySent,
  FieldChangeSent,
  SourceSent,
} from '../generated/graph-messages.ts';
import { RecordEncoder, warningToWire } from './record-encoder.ts';

const KINDS = {
  created: 'CHANGE_KIND_CREATED',
  changed: 'CHANGE_KIND_CHANGED',
  deleted: 'CHANGE_KIND_DELETED',
  forgotten: 'CHANGE_KIND_FORGOTTEN',
} satisfies Readonly<Record<FeedChange['change'], ChangeKindSent>>;

type FieldTold = FeedChange['fields'][number] & Partial<Difference['fields'][number]>;

/** Encodes changes and differences as messages. */
export class HistoryEncoder {
  readonly #records = new RecordEncoder();

  /** Approximate size of everything encoded so far. */
  get bytes(): number {
    return this.#records.bytes;
  }

  /** Of an error, the place to go on: the error itself is the status of the call. */
  feedMessage(message: FeedMessage): ChangesReplySent {
    if (message.kind === 'change') return { change: this.#change(message.body) };
    const position = { next: message.id };
    return message.kind === 'end' ? { end: position } : { position };
  }

  diff({ from, to, changes, warnings, cursor }: RecordDiffReply): DiffReplySent {
    return {
      from,
      to,
      changes: changes.map((difference) => this.#difference(difference)),
      warnings: warnings.map(warningToWire),
      ...(cursor !== undefined && { cursor }),
    };
  }

  #change(told: FeedChange): ChangeSent {
    const { id, seq, at, who, change, source, fields, entity, relationship, forgotten } = told;
    return {
      id,
      seq,
      at,
      ...(who !== undefined && { who }),
      kind: KINDS[change],
      ...(source !== undefined && { source: sourceToWire(source) }),
      fields: fields.map((field) => this.#field(field)),
      ...(forgotten?.record === 'entity' && { forgottenEntity: forgotten.id }),
      ...(forgotten?.record === 'relationship' && { forgottenRelationship: forgotten.id }),
      ...(entity !== undefined && { entity: this.#records.entity(entity) }),
      ...(relationship !== undefined && { relationship: this.#records.relationship(relationship) }),
    };
  }

  #difference(difference: Difference): DifferenceSent {
    const { change, seq, at, who, source, fields, id } = difference;
    const told = {
      kind: KINDS[change],
      seq,
      at,
      ...(who !== undefined && { who }),
      source: sourceToWire(source),
      fields: fields.map((field) => this.#field(field)),
    };
    if (difference.record === 'entity') {
      const { type, key, class: className, display_name: displayName } = difference;
      return { ...told, entity: { id, type, key, class: className, displayName } };
    }
    const { verb, from, to, key } = difference;
    return { ...told, relationship: { id, verb, from, to, ...(key !== undefined && { key }) } };
  }

  #field({ name, old, new: value, source, at }: FieldTold): FieldChangeSent {
    return {
      name,
      ...(old !== undefined && { old: this.#records.value(old) }),
      ...(value !== undefined && { new: this.#records.value(value) }),
      ...(source !== undefined && { source }),
      ...(at !== undefined && { at }),
    };
  }
}

function sourceToWire(source: Source): SourceSent {
  return { connectorId: source.connector_id, syncId: source.sync_id, syncedAt: source.synced_at };
}
