import type {
  Direction,
  Entity,
  FieldValue,
  GroupCount,
  Relationship,
  Selection,
  ValueKind,
  VerbSelection,
} from '#model';

/** Where reply bytes go. */
export interface ByteSink {
  writeBytes(bytes: Uint8Array, start: number, end: number): void;
  writeText(text: string): void;
}

/** Neighbours of one node; entries from `count` on are stale. */
export interface LinkBuffer {
  count: number;
  nodes: Uint32Array;
  links: Uint32Array;
}

export interface Adjacency {
  read(node: number, into: LinkBuffer): void;
  image(nodes: Uint32Array, keep?: (node: number) => boolean): Uint32Array;
  readonly linkCount: number;
}

/** The shape of the query engine's port, which this library may not import; see there for the promises. */
export interface GraphReader {
  readonly snapshotVersion: number;
  readonly nodeBound: number;
  readonly linkBound: number;
  hasName(name: string): boolean;
  hasVerb(verb: string): boolean;
  names(): readonly string[];
  verbs(): readonly string[];
  propertyNames(names: readonly string[] | '*'): readonly string[];
  valueKinds(names: readonly string[] | '*', field: string): readonly ValueKind[];
  estimate(selection: Selection): number;
  count(selection: Selection): number;
  select(selection: Selection): Uint32Array;
  groupCounts(selection: Selection, fields: readonly string[]): readonly GroupCount[];
  matcher(selection: Selection): (node: number) => boolean;
  adjacency(verbs: VerbSelection, direction: Direction): Adjacency;
  compare(a: number, b: number): number;
  sort(nodes: Uint32Array): Uint32Array;
  nodeById(id: string): number;
  nodeField(node: number, field: string): FieldValue;
  linkField(link: number, field: string): FieldValue;
  linkVerb(link: number): string;
  linkFrom(link: number): number;
  linkTo(link: number): number;
  entity(node: number): Entity;
  relationship(link: number): Relationship;
  writeEntity(node: number, sink: ByteSink): void;
  writeRelationship(link: number, sink: ByteSink): void;
}
