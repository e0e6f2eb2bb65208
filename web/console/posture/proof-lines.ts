/** A query's reply as readable lines of entities and verbs. */
import type { QueryReplyDto } from '../api/generated/types.gen.ts';

export interface ProofPart {
  readonly kind: 'entity' | 'verb';
  readonly name: string;
  /** Set for an entity. */
  readonly type?: string;
}

export type ProofLine = readonly ProofPart[];

type Fields = Readonly<Record<string, unknown>>;

/** One line per path, or per row, or per entity. */
export function proofLines({ paths, rows, entities }: QueryReplyDto): readonly ProofLine[] {
  if (paths !== undefined) {
    return paths.map(pathLine);
  }
  if (rows !== undefined) return rowLines(rows);
  return entities.map((entity) => [entityPart(entity)]);
}

/** One line per row; a path in a row is spelled out. */
export function rowLines(rows: readonly (readonly unknown[])[]): readonly ProofLine[] {
  return rows.map((row) => row.flatMap((cell) => (isPath(cell) ? pathLine(cell) : [cellPart(cell)])));
}

interface Path {
  readonly nodes: readonly object[];
  readonly relationships: readonly { readonly verb: string }[];
}

function isPath(cell: unknown): cell is Path {
  return typeof cell === 'object' && cell !== null && 'nodes' in cell && 'relationships' in cell;
}

function pathLine({ nodes, relationships }: Path): ProofLine {
  return nodes.flatMap((entity, index) => {
    const link = index === 0 ? undefined : relationships[index - 1];
    return [...(link === undefined ? [] : [verbPart(link.verb)]), entityPart(entity)];
  });
}

function cellPart(cell: unknown): ProofPart {
  if (typeof cell !== 'object' || cell === null) return { kind: 'entity', name: String(cell) };
  const fields = cell as Fields;
  return typeof fields['verb'] === 'string' ? verbPart(fields['verb']) : entityPart(fields);
}

function entityPart(entity: object): ProofPart {
  const { display_name: name, key, type } = entity as Fields;
  return { kind: 'entity', name: textOf(name) || textOf(key), type: textOf(type) };
}

function verbPart(verb: string): ProofPart {
  return { kind: 'verb', name: verb };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
