import { entityId, relationshipId } from '#graph/model';

/** Ids of the small estate that the documentation speaks of. */
export const EXAMPLE_ENTITY_ID = entityId('host', 'web-01');
export const EXAMPLE_RELATIONSHIP_ID = relationshipId(
  EXAMPLE_ENTITY_ID,
  'RUNS',
  entityId('service', 'nginx'),
);
