export type { EndpointReference, Entity, Relationship, Source } from './entity.ts';
export { entityId, relationshipId } from './identity.ts';
export type {
  EntityInput,
  EntityKey,
  EntityStatement,
  RelationshipInput,
  RelationshipKey,
  Warning,
  WarningCode,
} from './ingest.ts';
export type { Properties, PropertyValue, Scalar } from './property.ts';
export type {
  Direction,
  FieldValue,
  Filter,
  GroupCount,
  Selection,
  ValueKind,
  ValueRange,
  ValueTest,
  VerbSelection,
} from './selection.ts';
