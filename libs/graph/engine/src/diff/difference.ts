import type { RecordDifference } from './changed-record.ts';

/** One end of a relationship. */
export interface End {
  readonly id: string;
  readonly type: string;
  readonly key: string;
}

export interface EntityDifference extends RecordDifference, End {
  readonly record: 'entity';
  /** Of a deleted entity that of the first moment, like the name. */
  readonly class: string;
  readonly display_name: string;
}

export interface RelationshipDifference extends RecordDifference {
  readonly record: 'relationship';
  readonly id: string;
  readonly verb: string;
  readonly from: End;
  readonly to: End;
  readonly key?: string;
}

export type Difference = EntityDifference | RelationshipDifference;
