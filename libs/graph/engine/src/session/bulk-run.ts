import type { EntityStatement, RelationshipInput } from '#graph/model';
import type {
  BulkOperation,
  DeleteRequest,
  EntityReference,
  RelationshipReference,
} from '../request/requests.ts';

/** Operations of a bulk load that form one write, independent of their order. */
export interface BulkRun {
  readonly entities: readonly EntityStatement[];
  readonly relationships: readonly RelationshipInput[];
  /** Position of each relationship in the load. */
  readonly relationshipIndexes: readonly number[];
  readonly delete: DeleteRequest;
}

/**
 * Splits operations into runs that have the same effect in sequence as the single operations: a run ends at a
 * change between upserts and deletes, or at the second occurrence of a record. In a run, a relationship may
 * precede its entities.
 */
export function bulkRuns(operations: readonly BulkOperation[]): readonly BulkRun[] {
  const runs: BulkRun[] = [];
  let run = new OpenRun();
  for (const [index, operation] of operations.entries()) {
    if (!run.takes(operation)) {
      runs.push(run);
      run = new OpenRun();
    }
    run.add(operation, index);
  }
  if (!run.isEmpty) runs.push(run);
  return runs;
}

class OpenRun implements BulkRun {
  readonly entities: EntityStatement[] = [];
  readonly relationships: RelationshipInput[] = [];
  readonly relationshipIndexes: number[] = [];
  readonly delete = { entities: [] as EntityReference[], relationships: [] as RelationshipReference[] };
  readonly #names = new Set<string>();
  #deletes: boolean | undefined;

  get isEmpty(): boolean {
    return this.#deletes === undefined;
  }

  takes(operation: BulkOperation): boolean {
    if (this.#deletes === undefined) return true;
    if (this.#deletes !== isDelete(operation)) return false;
    return this.#deletes || !this.#names.has(nameOf(operation));
  }

  add(operation: BulkOperation, index: number): void {
    this.#deletes = isDelete(operation);
    if (!this.#deletes) this.#names.add(nameOf(operation));
    switch (operation.op) {
      case 'entity':
        this.entities.push(operation.entity);
        break;
      case 'relationship':
        this.relationships.push(operation.relationship);
        this.relationshipIndexes.push(index);
        break;
      case 'delete_entity':
        this.delete.entities.push(operation.entity);
        break;
      case 'delete_relationship':
        this.delete.relationships.push(operation.relationship);
    }
  }
}

function isDelete(operation: BulkOperation): boolean {
  return operation.op === 'delete_entity' || operation.op === 'delete_relationship';
}

/** The identity of an upsert. */
function nameOf(operation: BulkOperation): string {
  if (operation.op === 'entity') return `${operation.entity.type}\0${operation.entity.key}`;
  if (operation.op !== 'relationship') return '';
  const { from, verb, to, key = '' } = operation.relationship;
  return `${from.type}\0${from.key}\0${verb.toUpperCase()}\0${to.type}\0${to.key}\0${key}`;
}
