/**
 * Everything that the service keeps as documents, with what forgetting an entity does to each (ADR 0579). It
 * writes no others: a new kind is added here first.
 */
import { RUN_DOCUMENTS } from '#graph/connector';
import { type DocumentKind, keptDocuments } from '#graph/engine';
import { NOTIFY_DOCUMENTS } from '#graph/notify';
import { POLICY_DOCUMENTS } from '#graph/policy';

export const STORED_DOCUMENTS: readonly DocumentKind[] = [
  ...POLICY_DOCUMENTS,
  ...RUN_DOCUMENTS,
  ...NOTIFY_DOCUMENTS,
  // What people wrote stays, and is named.
  keptDocuments('import', '', 'source of imports'),
  keptDocuments('query', '', 'saved query'),
  keptDocuments('view', '', 'saved view'),
  keptDocuments('class_style', '', 'look of a class'),
  keptDocuments('cypher-schema', '', 'constraint'),
  keptDocuments('sign-in', '', 'session of a person'),
  keptDocuments('tick', '', 'time of a schedule'),
];
