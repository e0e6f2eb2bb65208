import { FIXTURE } from '#graph/testing';

/** The documentation's small estate as the body of a sync. */
export const ESTATE = {
  connector_id: 'test',
  sync_id: 'estate-1',
  entities: FIXTURE.entities.map(({ type, key, class: className, displayName, properties }) => ({
    type,
    key,
    class: className,
    display_name: displayName,
    properties,
  })),
  relationships: FIXTURE.relationships.map(({ from, verb, to }) => ({ from, verb, to })),
};

/** A clique: every pair is related, so that patterns over it have very many rows. */
export function clique(size: number): object {
  const keys = Array.from({ length: size }, (_, i) => `n${String(i).padStart(3, '0')}`);
  return {
    entities: keys.map((key) => ({ type: 'node', key, class: 'Host' })),
    relationships: keys.flatMap((from, i) =>
      keys.slice(i + 1).map((to) => ({
        from: { type: 'node', key: from },
        verb: 'CONNECTS',
        to: { type: 'node', key: to },
      })),
    ),
  };
}

/** Runs far longer on a {@link clique} of 60 than any test. */
export const SLOW_QUERY =
  'FIND node AS a THAT CONNECTS node AS b THAT CONNECTS node AS c THAT CONNECTS node AS d ' +
  'THAT CONNECTS node AS e WHERE a._key > e._key RETURN COUNT(*)';
