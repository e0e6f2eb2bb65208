/** How a format of bills is recognized, and what reads it. */
import type { JsonObject } from '#graph/model';
import type { Bill } from './bill-builder.ts';
import type { AttestedSubject } from './format/attestation.ts';
import type { ReadBeside } from './lock/lock-bill.ts';

/** The text of a bill, with what is around it. */
export interface BillText {
  readonly text: string;
  /** The name of its folder. */
  readonly folder: string;
  readonly beside: ReadBeside;
}

export interface TextFormat {
  readonly name: string;
  readonly beginning: RegExp;
  /** A line of the whole text by which it is known as well: before it, there may be long lists. */
  readonly line?: RegExp;
  readonly read: (bill: BillText) => Bill | Promise<Bill>;
}

export interface DocumentFormat {
  readonly name: string;
  readonly test: (document: JsonObject) => boolean;
  /** Whether it says what is wrong with products, not what is in them. */
  readonly isAdvisory?: true;
  /** Whether it relates the subjects of an attestation itself. */
  readonly hasSubjects?: true;
  readonly read: (
    document: JsonObject,
    bill: BillText,
    subjects: readonly AttestedSubject[],
  ) => Bill | Promise<Bill>;
}
