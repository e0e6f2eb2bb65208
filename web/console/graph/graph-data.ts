/** The entities and relationships of a reply as a graph. */
import type { EntityDto, PathDto, QueryReplyDto, RelationshipDto } from '../api/generated/types.gen.ts';

export interface GraphNode {
  readonly id: string;
  readonly type: string;
  readonly class: string;
  readonly key: string;
  readonly name: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

export interface GraphEdge {
  readonly id: string;
  readonly verb: string;
  readonly from: string;
  readonly to: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

export interface GraphData {
  readonly nodes: readonly GraphNode[];
  /** The ends of an edge may be missing among the nodes. */
  readonly edges: readonly GraphEdge[];
}

export function nodeOf(entity: EntityDto): GraphNode {
  const { id, type, class: className, key, display_name: name, properties } = entity;
  return { id, type, class: className, key, name, properties };
}

export function edgeOf({ id, verb, from, to, properties }: RelationshipDto): GraphEdge {
  return { id, verb, from: from.id, to: to.id, properties };
}

/** Each entity and relationship of the pages once, including complete ones in cells. */
export function graphOf(pages: readonly QueryReplyDto[]): GraphData {
  const nodes = new Map<string, GraphNode>();
  const edges = new Map<string, GraphEdge>();
  const addNode = (entity: EntityDto): unknown => nodes.set(entity.id, nodeOf(entity));
  const addEdge = (relationship: RelationshipDto): unknown =>
    edges.set(relationship.id, edgeOf(relationship));
  for (const { entities, paths = [], impacted = [], rows = [] } of pages) {
    entities.forEach(addNode);
    for (const path of paths) {
      path.nodes.forEach(addNode);
      path.relationships.forEach(addEdge);
    }
    for (const { entity, via } of impacted) {
      addNode(entity);
      addEdge(via);
    }
    const cells: unknown[] = rows.flat();
    for (const cell of cells) {
      if (isRelationship(cell)) addEdge(cell);
      else if (isEntity(cell)) addNode(cell);
      else for (const part of partsOf(cell)) cells.push(part);
    }
  }
  return { nodes: [...nodes.values()], edges: [...edges.values()] };
}

function isRelationship(value: unknown): value is RelationshipDto {
  return typeof value === 'object' && value !== null && 'verb' in value && 'from' in value;
}

/** The items of a list, and the elements of a path, as Cypher returns them in a cell. */
function partsOf(cell: unknown): readonly unknown[] {
  if (Array.isArray(cell)) return cell as readonly unknown[];
  return isPath(cell) ? [...cell.nodes, ...cell.relationships] : [];
}

function isPath(value: unknown): value is PathDto {
  return typeof value === 'object' && value !== null && 'nodes' in value && 'relationships' in value;
}

function isEntity(value: unknown): value is EntityDto {
  return typeof value === 'object' && value !== null && 'display_name' in value && 'class' in value;
}
