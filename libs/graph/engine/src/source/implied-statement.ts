/** What a record without a record of statements tells: one source states all of it. */
import { defaultClass, type EntityInput, type Properties } from '#graph/model';
import { CLASS_BIT, connectorsOf, NAME_BIT, spelledOutIn } from './owner-marks.ts';
import { entityFields, relationshipFields } from './record-fields.ts';
import type { Statement } from './statement.ts';

/** Who wrote a record last. */
export interface Writer {
  readonly connectorId: string;
  readonly syncId: string;
  readonly syncedAtMs: number;
}

/** A writer that has no claim on the record any more left it to the first that has. */
function impliedStatement(writer: Writer, owners: readonly string[], fields: Properties): Statement {
  const connectors = connectorsOf(owners);
  const isOwner = connectors.length === 0 || connectors.includes(writer.connectorId);
  return {
    connectorId: isOwner ? writer.connectorId : (connectors[0] ?? writer.connectorId),
    syncId: writer.syncId,
    sinceMs: writer.syncedAtMs,
    order: 0,
    fields,
    earlier: {},
  };
}

export function impliedEntity(writer: Writer, owners: readonly string[], entity: EntityInput): Statement {
  const { type, key, displayName, properties } = entity;
  const spelledOut = spelledOutIn(owners);
  const statesClass = entity.class !== defaultClass(type) || (spelledOut & CLASS_BIT) !== 0;
  const statesName = displayName !== key || (spelledOut & NAME_BIT) !== 0;
  const names = {
    class: statesClass ? entity.class : undefined,
    displayName: statesName ? displayName : undefined,
  };
  return impliedStatement(writer, owners, entityFields({ type, key, ...names, properties }));
}

export function impliedRelationship(
  writer: Writer,
  owners: readonly string[],
  content: { readonly verb: string; readonly properties: Properties },
): Statement {
  return impliedStatement(writer, owners, relationshipFields(content.verb, content.properties));
}
