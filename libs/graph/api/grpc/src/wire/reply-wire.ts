import type { Graph, SyncReply, WriteReply } from '#graph/engine';
import type { SchemaReplySent, SyncReplySent, WriteReplySent } from '../generated/graph-messages.ts';
import { warningToWire } from './record-encoder.ts';

export function writeReplyToWire(reply: WriteReply): WriteReplySent {
  return {
    writeId: reply.write_id,
    entitiesWritten: reply.entities_written,
    relationshipsWritten: reply.relationships_written,
    entitiesDeleted: reply.entities_deleted,
    relationshipsDeleted: reply.relationships_deleted,
    warnings: reply.warnings.map(warningToWire),
  };
}

export function syncReplyToWire(reply: SyncReply): SyncReplySent {
  return {
    syncId: reply.sync_id,
    entitiesCreated: reply.entities_created,
    entitiesUpdated: reply.entities_updated,
    entitiesUnchanged: reply.entities_unchanged,
    entitiesDeleted: reply.entities_deleted,
    relationshipsCreated: reply.relationships_created,
    relationshipsUpdated: reply.relationships_updated,
    relationshipsUnchanged: reply.relationships_unchanged,
    relationshipsDeleted: reply.relationships_deleted,
    warnings: reply.warnings.map(warningToWire),
  };
}

export function schemaToWire({
  classes,
  labels,
  types,
  verbs,
}: ReturnType<Graph['schema']>): SchemaReplySent {
  return {
    classes,
    ...(labels && { labels }),
    types: types.map(({ properties, ...type }) => ({
      ...type,
      properties: properties.map(({ name, count, kinds }) => ({ name, count, kinds })),
    })),
    verbs,
  };
}
