export { EXAMPLE_ENTITY_ID, EXAMPLE_RELATIONSHIP_ID } from './record/record.dto.ts';
export { STARTER_QUERIES } from './first-start/starter-queries.ts';
export { FirstStart, firstStart } from './first-start/first-start.ts';
export {
  BATCH_EXAMPLE,
  BULK_EXAMPLE,
  SESSION_EXAMPLE,
  SYNC_EXAMPLE,
  WRITE_EXAMPLE,
} from './ingest/ingest-examples.ts';
export { EXAMPLE_RULE, RULES_BODY } from './policies/policy-examples.ts';
export { carrySeq } from './seq-header.ts';
export { QUERY_EXAMPLES } from './query/query-examples.ts';
export { EXAMPLE_QUERY, QUERY_SET_EXAMPLE } from './saved-queries/saved-query-examples.ts';
export { carrySignOn } from './sign-in/carry-sign-on.ts';
