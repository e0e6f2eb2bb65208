import type { EntityKey } from '#graph/model';

/** Where an element of another document is. */
export interface DocumentLink {
  /** What that document calls itself; empty if its elements are known by their own names. */
  readonly document: string;
  readonly element: string;
  /** A text that the document has, in any case of letters. */
  readonly mention: string;
  /** Its name for people. */
  readonly name: string;
}

/** A document that others can link to. */
export interface LinkedDocument {
  readonly document: string;
  /** The entity of an element; undefined if it has none. */
  readonly find: (element: string) => EntityKey | undefined;
}
