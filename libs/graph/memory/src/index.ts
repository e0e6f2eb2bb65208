export type { GraphWriter } from './graph-writer.ts';
export {
  decodeHeadBytes,
  decodePropertiesBytes,
  encodeEntityHead,
  encodeProperties,
} from './head/item-head.ts';
export { MemoryGraph, type MemoryGraphOptions, type MemoryGraphStats } from './memory-graph.ts';
export { type MomentGraph, NEVER_MS } from './moment-graph.ts';
export { ChangeLog, type ChangeMark } from './schema/change-log.ts';
export type { NameSearch } from './snapshot/find-names.ts';
export type { GraphSchema } from './schema/graph-schema.ts';
export { buildBase } from './seal/build-base.ts';
export type { RunSeal } from './seal/run-seal.ts';
export { snapshotOf } from './snapshot-of.ts';
export { ScopedSnapshot } from './scope/scoped-snapshot.ts';
export { GraphSnapshot } from './snapshot/graph-snapshot.ts';
export { KeptBase, type SharedSnapshot } from './snapshot/shared-snapshot.ts';
export { stampFields } from './stamp/stamp-table.ts';
export type { EntityState, RelationshipState, Sighting, Stamp } from './stamp/version.ts';
