/** Made from proto/graph.proto by `npm run proto-types`; not to be edited. */

export interface CellSent {
  readonly value?: ValueSent;
  readonly entity?: EntitySent;
  readonly relationship?: RelationshipSent;
  readonly cell?: 'value' | 'entity' | 'relationship';
}

export interface CellWire {
  readonly value?: ValueWire;
  readonly entity?: EntityWire;
  readonly relationship?: RelationshipWire;
  readonly cell?: 'value' | 'entity' | 'relationship';
}

export interface ChangeSent {
  readonly id?: string;
  readonly seq?: number | string;
  readonly at?: string;
  readonly who?: string;
  readonly kind?: ChangeKindSent;
  readonly source?: SourceSent;
  readonly fields?: readonly FieldChangeSent[];
  readonly entity?: EntitySent;
  readonly relationship?: RelationshipSent;
  readonly forgottenEntity?: string;
  readonly forgottenRelationship?: string;
  readonly _who?: 'who';
  readonly record?: 'entity' | 'relationship' | 'forgottenEntity' | 'forgottenRelationship';
}

export interface ChangeWire {
  readonly id: string;
  readonly seq: string;
  readonly at: string;
  readonly who?: string;
  readonly kind: ChangeKindWire;
  readonly source: SourceWire | null;
  readonly fields: readonly FieldChangeWire[];
  readonly entity?: EntityWire;
  readonly relationship?: RelationshipWire;
  readonly forgottenEntity?: string;
  readonly forgottenRelationship?: string;
  readonly _who?: 'who';
  readonly record?: 'entity' | 'relationship' | 'forgottenEntity' | 'forgottenRelationship';
}

export const ChangeKind = {
  CHANGE_KIND_UNSPECIFIED: 'CHANGE_KIND_UNSPECIFIED',
  CHANGE_KIND_CREATED: 'CHANGE_KIND_CREATED',
  CHANGE_KIND_CHANGED: 'CHANGE_KIND_CHANGED',
  CHANGE_KIND_DELETED: 'CHANGE_KIND_DELETED',
  CHANGE_KIND_FORGOTTEN: 'CHANGE_KIND_FORGOTTEN',
} as const;

export type ChangeKindSent =
  | 'CHANGE_KIND_UNSPECIFIED'
  | 0
  | 'CHANGE_KIND_CREATED'
  | 1
  | 'CHANGE_KIND_CHANGED'
  | 2
  | 'CHANGE_KIND_DELETED'
  | 3
  | 'CHANGE_KIND_FORGOTTEN'
  | 4;

export type ChangeKindWire = (typeof ChangeKind)[keyof typeof ChangeKind];

export interface ChangesReplySent {
  readonly change?: ChangeSent;
  readonly position?: PositionSent;
  readonly end?: PositionSent;
  readonly part?: 'change' | 'position' | 'end';
}

export interface ChangesReplyWire {
  readonly change?: ChangeWire;
  readonly position?: PositionWire;
  readonly end?: PositionWire;
  readonly part?: 'change' | 'position' | 'end';
}

export interface ChangesRequestSent {
  readonly from?: string;
  readonly class?: string;
  readonly query?: string;
  readonly follow?: boolean;
  readonly _from?: 'from';
  readonly _class?: 'class';
  readonly _query?: 'query';
}

export interface ChangesRequestWire {
  readonly from?: string;
  readonly class?: string;
  readonly query?: string;
  readonly follow: boolean;
  readonly _from?: 'from';
  readonly _class?: 'class';
  readonly _query?: 'query';
}

export interface DiffReplySent {
  readonly from?: number | string;
  readonly to?: number | string;
  readonly changes?: readonly DifferenceSent[];
  readonly cursor?: string;
  readonly warnings?: readonly WarningSent[];
  readonly _cursor?: 'cursor';
}

export interface DiffReplyWire {
  readonly from: string;
  readonly to: string;
  readonly changes: readonly DifferenceWire[];
  readonly cursor?: string;
  readonly warnings: readonly WarningWire[];
  readonly _cursor?: 'cursor';
}

export interface DiffRequestSent {
  readonly from?: string;
  readonly to?: string;
  readonly type?: string;
  readonly limit?: number;
  readonly cursor?: string;
  readonly _from?: 'from';
  readonly _to?: 'to';
  readonly _type?: 'type';
  readonly _limit?: 'limit';
  readonly _cursor?: 'cursor';
}

export interface DiffRequestWire {
  readonly from?: string;
  readonly to?: string;
  readonly type?: string;
  readonly limit?: number;
  readonly cursor?: string;
  readonly _from?: 'from';
  readonly _to?: 'to';
  readonly _type?: 'type';
  readonly _limit?: 'limit';
  readonly _cursor?: 'cursor';
}

export interface DifferenceSent {
  readonly kind?: ChangeKindSent;
  readonly seq?: number | string;
  readonly at?: string;
  readonly who?: string;
  readonly source?: SourceSent;
  readonly fields?: readonly FieldChangeSent[];
  readonly entity?: EntityNameSent;
  readonly relationship?: RelationshipNameSent;
  readonly _who?: 'who';
  readonly record?: 'entity' | 'relationship';
}

export interface DifferenceWire {
  readonly kind: ChangeKindWire;
  readonly seq: string;
  readonly at: string;
  readonly who?: string;
  readonly source: SourceWire | null;
  readonly fields: readonly FieldChangeWire[];
  readonly entity?: EntityNameWire;
  readonly relationship?: RelationshipNameWire;
  readonly _who?: 'who';
  readonly record?: 'entity' | 'relationship';
}

export const Direction = {
  DIRECTION_ANY: 'DIRECTION_ANY',
  DIRECTION_IN: 'DIRECTION_IN',
  DIRECTION_OUT: 'DIRECTION_OUT',
} as const;

export type DirectionSent = 'DIRECTION_ANY' | 0 | 'DIRECTION_IN' | 1 | 'DIRECTION_OUT' | 2;

export type DirectionWire = (typeof Direction)[keyof typeof Direction];

export interface EndpointSent {
  readonly id?: string;
  readonly type?: string;
  readonly key?: string;
}

export interface EndpointWire {
  readonly id: string;
  readonly type: string;
  readonly key: string;
}

export interface EntitySent {
  readonly id?: string;
  readonly type?: string;
  readonly class?: string;
  readonly key?: string;
  readonly displayName?: string;
  readonly properties?: Readonly<Record<string, ValueSent>>;
  readonly source?: SourceSent;
  readonly createdAt?: string;
  readonly updatedAt?: string;
  readonly lastSeenAt?: string;
  readonly deletedAt?: string;
  readonly version?: number | string;
  readonly sources?: readonly StatementSent[];
  readonly labels?: readonly string[];
  readonly _deletedAt?: 'deletedAt';
}

export interface EntityWire {
  readonly id: string;
  readonly type: string;
  readonly class: string;
  readonly key: string;
  readonly displayName: string;
  readonly properties: Readonly<Record<string, ValueWire>>;
  readonly source: SourceWire | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lastSeenAt: string;
  readonly deletedAt?: string;
  readonly version: string;
  readonly sources: readonly StatementWire[];
  readonly labels: readonly string[];
  readonly _deletedAt?: 'deletedAt';
}

export interface EntityInputSent {
  readonly type?: string;
  readonly key?: string;
  readonly properties?: Readonly<Record<string, ValueSent>>;
  readonly class?: string;
  readonly displayName?: string;
  readonly labels?: LabelsSent;
  readonly _class?: 'class';
  readonly _displayName?: 'displayName';
}

export interface EntityInputWire {
  readonly type: string;
  readonly key: string;
  readonly properties: Readonly<Record<string, ValueWire>>;
  readonly class?: string;
  readonly displayName?: string;
  readonly labels: LabelsWire | null;
  readonly _class?: 'class';
  readonly _displayName?: 'displayName';
}

export interface EntityKeySent {
  readonly type?: string;
  readonly key?: string;
}

export interface EntityKeyWire {
  readonly type: string;
  readonly key: string;
}

export interface EntityNameSent {
  readonly id?: string;
  readonly type?: string;
  readonly key?: string;
  readonly class?: string;
  readonly displayName?: string;
}

export interface EntityNameWire {
  readonly id: string;
  readonly type: string;
  readonly key: string;
  readonly class: string;
  readonly displayName: string;
}

export interface EntityReferenceSent {
  readonly id?: string;
  readonly key?: EntityKeySent;
  readonly reference?: 'id' | 'key';
}

export interface EntityReferenceWire {
  readonly id?: string;
  readonly key?: EntityKeyWire;
  readonly reference?: 'id' | 'key';
}

export interface FieldChangeSent {
  readonly name?: string;
  readonly old?: ValueSent;
  readonly new?: ValueSent;
  readonly source?: string;
  readonly at?: string;
  readonly _source?: 'source';
  readonly _at?: 'at';
}

export interface FieldChangeWire {
  readonly name: string;
  readonly old: ValueWire | null;
  readonly new: ValueWire | null;
  readonly source?: string;
  readonly at?: string;
  readonly _source?: 'source';
  readonly _at?: 'at';
}

export interface GetEntityRequestSent {
  readonly id?: string;
  readonly sources?: boolean;
}

export interface GetEntityRequestWire {
  readonly id: string;
  readonly sources: boolean;
}

export interface GroupSent {
  readonly keys?: readonly CellSent[];
  readonly count?: number | string;
  readonly aggregates?: Readonly<Record<string, CellSent>>;
}

export interface GroupWire {
  readonly keys: readonly CellWire[];
  readonly count: string;
  readonly aggregates: Readonly<Record<string, CellWire>>;
}

export interface ImpactedSent {
  readonly entity?: EntitySent;
  readonly depth?: number;
  readonly via?: RelationshipSent;
}

export interface ImpactedWire {
  readonly entity: EntityWire | null;
  readonly depth: number;
  readonly via: RelationshipWire | null;
}

export interface IngestOptionsSent {
  readonly onDangling?: OnDanglingSent;
  readonly flatten?: boolean;
  readonly largeIntegersAsText?: boolean;
}

export interface IngestOptionsWire {
  readonly onDangling: OnDanglingWire;
  readonly flatten: boolean;
  readonly largeIntegersAsText: boolean;
}

export interface LabelsSent {
  readonly names?: readonly string[];
}

export interface LabelsWire {
  readonly names: readonly string[];
}

export interface ListValueSent {
  readonly values?: readonly ValueSent[];
}

export interface ListValueWire {
  readonly values: readonly ValueWire[];
}

export interface MapValueSent {
  readonly fields?: Readonly<Record<string, ValueSent>>;
}

export interface MapValueWire {
  readonly fields: Readonly<Record<string, ValueWire>>;
}

export interface NamedCountSent {
  readonly name?: string;
  readonly count?: number | string;
}

export interface NamedCountWire {
  readonly name: string;
  readonly count: string;
}

export interface NeighborSent {
  readonly relationship?: RelationshipSent;
  readonly entity?: EntitySent;
}

export interface NeighborWire {
  readonly relationship: RelationshipWire | null;
  readonly entity: EntityWire | null;
}

export interface NeighborsReplySent {
  readonly count?: number | string;
  readonly neighbors?: readonly NeighborSent[];
}

export interface NeighborsReplyWire {
  readonly count: string;
  readonly neighbors: readonly NeighborWire[];
}

export interface NeighborsRequestSent {
  readonly id?: string;
  readonly direction?: DirectionSent;
  readonly verb?: string;
  readonly limit?: number;
  readonly _verb?: 'verb';
  readonly _limit?: 'limit';
}

export interface NeighborsRequestWire {
  readonly id: string;
  readonly direction: DirectionWire;
  readonly verb?: string;
  readonly limit?: number;
  readonly _verb?: 'verb';
  readonly _limit?: 'limit';
}

export const NullValue = {
  NULL_VALUE: 'NULL_VALUE',
} as const;

export type NullValueSent = 'NULL_VALUE' | 0;

export type NullValueWire = (typeof NullValue)[keyof typeof NullValue];

export const OnDangling = {
  ON_DANGLING_REFUSE: 'ON_DANGLING_REFUSE',
  ON_DANGLING_SKIP: 'ON_DANGLING_SKIP',
  ON_DANGLING_STUB: 'ON_DANGLING_STUB',
} as const;

export type OnDanglingSent = 'ON_DANGLING_REFUSE' | 0 | 'ON_DANGLING_SKIP' | 1 | 'ON_DANGLING_STUB' | 2;

export type OnDanglingWire = (typeof OnDangling)[keyof typeof OnDangling];

export interface PartialRelationshipsSent {
  readonly verb?: string;
  readonly end?: string;
  readonly type?: string;
  readonly key?: string;
}

export interface PartialRelationshipsWire {
  readonly verb: string;
  readonly end: string;
  readonly type: string;
  readonly key: string;
}

export interface PathSent {
  readonly nodes?: readonly EntitySent[];
  readonly relationships?: readonly RelationshipSent[];
}

export interface PathWire {
  readonly nodes: readonly EntityWire[];
  readonly relationships: readonly RelationshipWire[];
}

export interface PlanSent {
  readonly operator?: string;
  readonly detail?: string;
  readonly children?: readonly PlanSent[];
  readonly estimatedRows?: number | string;
  readonly actualRows?: number | string;
  readonly ms?: number | string;
  readonly _estimatedRows?: 'estimatedRows';
  readonly _actualRows?: 'actualRows';
  readonly _ms?: 'ms';
}

export interface PlanWire {
  readonly operator: string;
  readonly detail: string;
  readonly children: readonly PlanWire[];
  readonly estimatedRows?: number;
  readonly actualRows?: number;
  readonly ms?: number;
  readonly _estimatedRows?: 'estimatedRows';
  readonly _actualRows?: 'actualRows';
  readonly _ms?: 'ms';
}

export interface PositionSent {
  readonly next?: string;
}

export interface PositionWire {
  readonly next: string;
}

export interface PropertySchemaSent {
  readonly name?: string;
  readonly count?: number | string;
  readonly kinds?: Readonly<Record<string, number | string>>;
}

export interface PropertySchemaWire {
  readonly name: string;
  readonly count: string;
  readonly kinds: Readonly<Record<string, string>>;
}

export interface QueryHeadSent {
  readonly kind?: string;
  readonly columns?: readonly string[];
  readonly snapshotVersion?: number | string;
}

export interface QueryHeadWire {
  readonly kind: string;
  readonly columns: readonly string[];
  readonly snapshotVersion: string;
}

export interface QueryItemSent {
  readonly entity?: EntitySent;
  readonly row?: RowSent;
  readonly group?: GroupSent;
  readonly path?: PathSent;
  readonly impacted?: ImpactedSent;
  readonly item?: 'entity' | 'row' | 'group' | 'path' | 'impacted';
}

export interface QueryItemWire {
  readonly entity?: EntityWire;
  readonly row?: RowWire;
  readonly group?: GroupWire;
  readonly path?: PathWire;
  readonly impacted?: ImpactedWire;
  readonly item?: 'entity' | 'row' | 'group' | 'path' | 'impacted';
}

export interface QueryItemsSent {
  readonly items?: readonly QueryItemSent[];
}

export interface QueryItemsWire {
  readonly items: readonly QueryItemWire[];
}

export interface QueryReplySent {
  readonly head?: QueryHeadSent;
  readonly items?: QueryItemsSent;
  readonly summary?: QuerySummarySent;
  readonly part?: 'head' | 'items' | 'summary';
}

export interface QueryReplyWire {
  readonly head?: QueryHeadWire;
  readonly items?: QueryItemsWire;
  readonly summary?: QuerySummaryWire;
  readonly part?: 'head' | 'items' | 'summary';
}

export interface QueryRequestSent {
  readonly pql?: string;
  readonly params?: Readonly<Record<string, ValueSent>>;
  readonly includeDeleted?: boolean;
  readonly timeoutMs?: number;
  readonly asOf?: string;
  readonly _timeoutMs?: 'timeoutMs';
  readonly _asOf?: 'asOf';
}

export interface QueryRequestWire {
  readonly pql: string;
  readonly params: Readonly<Record<string, ValueWire>>;
  readonly includeDeleted: boolean;
  readonly timeoutMs?: number;
  readonly asOf?: string;
  readonly _timeoutMs?: 'timeoutMs';
  readonly _asOf?: 'asOf';
}

export interface QuerySummarySent {
  readonly count?: number | string;
  readonly warnings?: readonly WarningSent[];
  readonly impactedByClass?: Readonly<Record<string, number | string>>;
  readonly plan?: PlanSent;
  readonly tookMs?: number | string;
}

export interface QuerySummaryWire {
  readonly count: string;
  readonly warnings: readonly WarningWire[];
  readonly impactedByClass: Readonly<Record<string, string>>;
  readonly plan: PlanWire | null;
  readonly tookMs: number;
}

export interface RelationshipSent {
  readonly id?: string;
  readonly verb?: string;
  readonly from?: EndpointSent;
  readonly to?: EndpointSent;
  readonly key?: string;
  readonly properties?: Readonly<Record<string, ValueSent>>;
  readonly source?: SourceSent;
  readonly createdAt?: string;
  readonly updatedAt?: string;
  readonly lastSeenAt?: string;
  readonly deletedAt?: string;
  readonly version?: number | string;
  readonly _key?: 'key';
  readonly _deletedAt?: 'deletedAt';
}

export interface RelationshipWire {
  readonly id: string;
  readonly verb: string;
  readonly from: EndpointWire | null;
  readonly to: EndpointWire | null;
  readonly key?: string;
  readonly properties: Readonly<Record<string, ValueWire>>;
  readonly source: SourceWire | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lastSeenAt: string;
  readonly deletedAt?: string;
  readonly version: string;
  readonly _key?: 'key';
  readonly _deletedAt?: 'deletedAt';
}

export interface RelationshipInputSent {
  readonly from?: EntityKeySent;
  readonly verb?: string;
  readonly to?: EntityKeySent;
  readonly properties?: Readonly<Record<string, ValueSent>>;
  readonly key?: string;
  readonly _key?: 'key';
}

export interface RelationshipInputWire {
  readonly from: EntityKeyWire | null;
  readonly verb: string;
  readonly to: EntityKeyWire | null;
  readonly properties: Readonly<Record<string, ValueWire>>;
  readonly key?: string;
  readonly _key?: 'key';
}

export interface RelationshipKeySent {
  readonly from?: EntityKeySent;
  readonly verb?: string;
  readonly to?: EntityKeySent;
  readonly key?: string;
  readonly _key?: 'key';
}

export interface RelationshipKeyWire {
  readonly from: EntityKeyWire | null;
  readonly verb: string;
  readonly to: EntityKeyWire | null;
  readonly key?: string;
  readonly _key?: 'key';
}

export interface RelationshipNameSent {
  readonly id?: string;
  readonly verb?: string;
  readonly from?: EndpointSent;
  readonly to?: EndpointSent;
  readonly key?: string;
  readonly _key?: 'key';
}

export interface RelationshipNameWire {
  readonly id: string;
  readonly verb: string;
  readonly from: EndpointWire | null;
  readonly to: EndpointWire | null;
  readonly key?: string;
  readonly _key?: 'key';
}

export interface RelationshipReferenceSent {
  readonly id?: string;
  readonly key?: RelationshipKeySent;
  readonly reference?: 'id' | 'key';
}

export interface RelationshipReferenceWire {
  readonly id?: string;
  readonly key?: RelationshipKeyWire;
  readonly reference?: 'id' | 'key';
}

export interface RowSent {
  readonly cells?: readonly CellSent[];
}

export interface RowWire {
  readonly cells: readonly CellWire[];
}

export interface SchemaReplySent {
  readonly classes?: readonly NamedCountSent[];
  readonly types?: readonly TypeSchemaSent[];
  readonly verbs?: readonly NamedCountSent[];
  readonly labels?: readonly NamedCountSent[];
}

export interface SchemaReplyWire {
  readonly classes: readonly NamedCountWire[];
  readonly types: readonly TypeSchemaWire[];
  readonly verbs: readonly NamedCountWire[];
  readonly labels: readonly NamedCountWire[];
}

export type SchemaRequestSent = Readonly<Record<string, never>>;

export type SchemaRequestWire = Readonly<Record<string, never>>;

export interface SourceSent {
  readonly connectorId?: string;
  readonly syncId?: string;
  readonly syncedAt?: string;
}

export interface SourceWire {
  readonly connectorId: string;
  readonly syncId: string;
  readonly syncedAt: string;
}

export interface StatementSent {
  readonly connectorId?: string;
  readonly priority?: number | string;
  readonly since?: string;
  readonly properties?: Readonly<Record<string, ValueSent>>;
  readonly class?: string;
  readonly displayName?: string;
  readonly labels?: readonly string[];
  readonly _class?: 'class';
  readonly _displayName?: 'displayName';
}

export interface StatementWire {
  readonly connectorId: string;
  readonly priority: string;
  readonly since: string;
  readonly properties: Readonly<Record<string, ValueWire>>;
  readonly class?: string;
  readonly displayName?: string;
  readonly labels: readonly string[];
  readonly _class?: 'class';
  readonly _displayName?: 'displayName';
}

export type SyncCommitSent = Readonly<Record<string, never>>;

export type SyncCommitWire = Readonly<Record<string, never>>;

export const SyncMode = {
  SYNC_MODE_DIFF: 'SYNC_MODE_DIFF',
  SYNC_MODE_PATCH: 'SYNC_MODE_PATCH',
} as const;

export type SyncModeSent = 'SYNC_MODE_DIFF' | 0 | 'SYNC_MODE_PATCH' | 1;

export type SyncModeWire = (typeof SyncMode)[keyof typeof SyncMode];

export interface SyncRecordsSent {
  readonly entities?: readonly EntityInputSent[];
  readonly relationships?: readonly RelationshipInputSent[];
}

export interface SyncRecordsWire {
  readonly entities: readonly EntityInputWire[];
  readonly relationships: readonly RelationshipInputWire[];
}

export interface SyncReplySent {
  readonly syncId?: string;
  readonly entitiesCreated?: number | string;
  readonly entitiesUpdated?: number | string;
  readonly entitiesUnchanged?: number | string;
  readonly entitiesDeleted?: number | string;
  readonly relationshipsCreated?: number | string;
  readonly relationshipsUpdated?: number | string;
  readonly relationshipsUnchanged?: number | string;
  readonly relationshipsDeleted?: number | string;
  readonly warnings?: readonly WarningSent[];
}

export interface SyncReplyWire {
  readonly syncId: string;
  readonly entitiesCreated: string;
  readonly entitiesUpdated: string;
  readonly entitiesUnchanged: string;
  readonly entitiesDeleted: string;
  readonly relationshipsCreated: string;
  readonly relationshipsUpdated: string;
  readonly relationshipsUnchanged: string;
  readonly relationshipsDeleted: string;
  readonly warnings: readonly WarningWire[];
}

export interface SyncRequestSent {
  readonly start?: SyncStartSent;
  readonly records?: SyncRecordsSent;
  readonly commit?: SyncCommitSent;
  readonly part?: 'start' | 'records' | 'commit';
}

export interface SyncRequestWire {
  readonly start?: SyncStartWire;
  readonly records?: SyncRecordsWire;
  readonly commit?: SyncCommitWire;
  readonly part?: 'start' | 'records' | 'commit';
}

export interface SyncStartSent {
  readonly connectorId?: string;
  readonly syncId?: string;
  readonly mode?: SyncModeSent;
  readonly partialTypes?: readonly string[];
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly options?: IngestOptionsSent;
  readonly priority?: number | string;
  readonly maxDeleteRatio?: number | string;
  readonly partialRelationships?: readonly PartialRelationshipsSent[];
  readonly _priority?: 'priority';
  readonly _maxDeleteRatio?: 'maxDeleteRatio';
}

export interface SyncStartWire {
  readonly connectorId: string;
  readonly syncId: string;
  readonly mode: SyncModeWire;
  readonly partialTypes: readonly string[];
  readonly force: boolean;
  readonly dryRun: boolean;
  readonly options: IngestOptionsWire | null;
  readonly priority?: string;
  readonly maxDeleteRatio?: number;
  readonly partialRelationships: readonly PartialRelationshipsWire[];
  readonly _priority?: 'priority';
  readonly _maxDeleteRatio?: 'maxDeleteRatio';
}

export interface TypeSchemaSent {
  readonly name?: string;
  readonly count?: number | string;
  readonly classes?: readonly string[];
  readonly properties?: readonly PropertySchemaSent[];
  readonly labels?: readonly string[];
}

export interface TypeSchemaWire {
  readonly name: string;
  readonly count: string;
  readonly classes: readonly string[];
  readonly properties: readonly PropertySchemaWire[];
  readonly labels: readonly string[];
}

export interface ValueSent {
  readonly nullValue?: NullValueSent;
  readonly boolValue?: boolean;
  readonly int64Value?: number | string;
  readonly doubleValue?: number | string;
  readonly stringValue?: string;
  readonly listValue?: ListValueSent;
  readonly mapValue?: MapValueSent;
  readonly kind?:
    'nullValue' | 'boolValue' | 'int64Value' | 'doubleValue' | 'stringValue' | 'listValue' | 'mapValue';
}

export interface ValueWire {
  readonly nullValue?: NullValueWire;
  readonly boolValue?: boolean;
  readonly int64Value?: string;
  readonly doubleValue?: number;
  readonly stringValue?: string;
  readonly listValue?: ListValueWire;
  readonly mapValue?: MapValueWire;
  readonly kind?:
    'nullValue' | 'boolValue' | 'int64Value' | 'doubleValue' | 'stringValue' | 'listValue' | 'mapValue';
}

export interface WarningSent {
  readonly code?: string;
  readonly message?: string;
  readonly nearest?: readonly string[];
  readonly position?: number;
  readonly _position?: 'position';
}

export interface WarningWire {
  readonly code: string;
  readonly message: string;
  readonly nearest: readonly string[];
  readonly position?: number;
  readonly _position?: 'position';
}

export interface WriteReplySent {
  readonly writeId?: string;
  readonly entitiesWritten?: number | string;
  readonly relationshipsWritten?: number | string;
  readonly entitiesDeleted?: number | string;
  readonly relationshipsDeleted?: number | string;
  readonly warnings?: readonly WarningSent[];
}

export interface WriteReplyWire {
  readonly writeId: string;
  readonly entitiesWritten: string;
  readonly relationshipsWritten: string;
  readonly entitiesDeleted: string;
  readonly relationshipsDeleted: string;
  readonly warnings: readonly WarningWire[];
}

export interface WriteRequestSent {
  readonly entities?: readonly EntityInputSent[];
  readonly relationships?: readonly RelationshipInputSent[];
  readonly deleteEntities?: readonly EntityReferenceSent[];
  readonly deleteRelationships?: readonly RelationshipReferenceSent[];
  readonly options?: IngestOptionsSent;
  readonly writeId?: string;
  readonly connectorId?: string;
  readonly _writeId?: 'writeId';
  readonly _connectorId?: 'connectorId';
}

export interface WriteRequestWire {
  readonly entities: readonly EntityInputWire[];
  readonly relationships: readonly RelationshipInputWire[];
  readonly deleteEntities: readonly EntityReferenceWire[];
  readonly deleteRelationships: readonly RelationshipReferenceWire[];
  readonly options: IngestOptionsWire | null;
  readonly writeId?: string;
  readonly connectorId?: string;
  readonly _writeId?: 'writeId';
  readonly _connectorId?: 'connectorId';
}
