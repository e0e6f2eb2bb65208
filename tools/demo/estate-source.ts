import type { Resources } from '#platform/foundation';

/** A source of the graph, as its configuration says it. */
export interface Source {
  readonly id: string;
  readonly about: string;
  readonly connector: string;
  readonly config: object;
  readonly mappings?: readonly object[];
}

export interface Place {
  /** What is started here is ended with it. */
  readonly opened: Resources;
  readonly directory: string;
  readonly say: (line: string) => void;
}
