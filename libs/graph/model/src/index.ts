export type { Adjacency, LinkBuffer, NodeBuffer, NodeRange } from './adjacency.ts';
export { completeEntity, defaultClass, someLabels } from './class-name.ts';
export { parseEntity, parseEntityKey, parseRelationship, parseRelationshipKey } from './parse-statements.ts';
export type { ByteSink, Entity, Relationship, Source } from './entity.ts';
export { FieldPath, kindOf } from './field-path.ts';
export { entityId, relationshipId } from './entity.ts';
export type {
  EntityInput,
  EntityKey,
  EntityStatement,
  PartialRelationships,
  RelationshipEnd,
  RelationshipInput,
  RelationshipKey,
  UnreadEntities,
  Warning,
  WarningCode,
} from './ingest.ts';
export { isUnread } from './ingest.ts';
export { isAbsent, isJsonObject, jsonObject, type JsonObject, refuseUnknownFields } from './json-object.ts';
export { epochMs, Instant, parseInstant } from './instant.ts';
export { MODEL_LIMITS } from './limits.ts';
export { createProperties, type ParseOptions } from './properties.ts';
export type { Properties, PropertyValue, Scalar } from './properties.ts';
export type {
  Direction,
  FieldValue,
  Filter,
  Footprint,
  GroupCount,
  Selection,
  ValueKind,
  ValueRange,
  ValueTest,
  VerbSelection,
} from './selection.ts';
export {
  hasSource,
  isOneOf,
  readsSources,
  type Scope,
  scopeFilter,
  scopeKey,
  type ScopeLists,
} from './scope.ts';
export { fieldOfProperty, isReservedName, propertyOfField, UNLABELLED } from './reserved-names.ts';
export { createKinds, type PropertyKinds, someKinds, type StoredKind } from './stored-kind.ts';
export { parseKey, parseName, parseRequestId, parseText } from './text.ts';
export { isKnownClass, isKnownVerb, KNOWN_CLASSES, KNOWN_VERBS } from './class-name.ts';
