import type { Clock } from '#platform/foundation';
import {
  type ChangeReply,
  type DocumentLog,
  type DocumentStore,
  type Kept,
  NamedDocuments,
} from './named-documents.ts';
import { parseSavedQuery } from './query-set.ts';
import { type SavedQuery, SAVED_QUERIES_MAX } from './saved-query.ts';

export type KeptQuery = Kept<SavedQuery>;
export type QueriesReply = ChangeReply;

/** The saved queries, by name. Callers check queries first: `parseSavedQuery`, `parseQueryYaml`. */
export class SavedQueries extends NamedDocuments<SavedQuery> {
  static async open(documents: DocumentStore, clock: Clock, log: DocumentLog): Promise<SavedQueries> {
    const queries = new SavedQueries(
      {
        namespace: 'query',
        noun: 'saved query',
        max: SAVED_QUERIES_MAX,
        unreadable: 'query.saved_unreadable',
        parse: parseSavedQuery,
        canonical,
      },
      { documents, clock, log },
    );
    await queries.read();
    return queries;
  }
}

function canonical({ name, description, text, tags, parameters }: SavedQuery): string {
  const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([name, description, text, tags, sorted]);
}
