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
    return paths.map((path) =>
      path.nodes.flatMap((entity, index) => {
        const link = index === 0 ? undefined : path.relationships[index - 1];
        return [...(link === undefined ? [] : [verbPart(link.verb)]), entityPart(entity)];
      }),
    );
  }
  if (rows !== undefined) return rows.map((row) => row.map(cellPart));
  return entities.map((entity) => [entityPart(entity)]);
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
