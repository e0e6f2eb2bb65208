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

/** Users around a hub: parallel relationships, loops, and chains that lead far from it. */
export function hub(users: number): object {
  const end = (type: string, key: string | number) => ({ type, key: String(key) });
  const link = (from: object, verb: string, to: object, key?: string) => ({
    from,
    verb,
    to,
    ...(key && { key }),
  });
  const center = end('group', 'hub');
  const chain = Array.from({ length: 7 }, (_, at) => end('role', `r${String(at)}`));
  return {
    connector_id: 'hub',
    sync_id: 'hub-1',
    entities: [
      { ...center, class: 'UserGroup', display_name: 'The hub' },
      { ...end('database', 'db'), class: 'Database', display_name: 'Payroll' },
      ...chain.map((role) => ({ ...role, class: 'AccessRole' })),
      ...Array.from({ length: users }, (_, at) => ({
        ...end('member', at),
        class: 'User',
        display_name: `Member ${String(at)}`,
      })),
    ],
    relationships: [
      ...Array.from({ length: users }, (_, at) => link(end('member', at), 'MEMBER_OF', center)),
      link(center, 'CAN_READ', end('database', 'db'), 'select'),
      link(center, 'CAN_READ', end('database', 'db'), 'references'),
      link(center, 'OWNS', end('database', 'db')),
      link(end('database', 'db'), 'TRUSTS', center),
      link(center, 'TRUSTS', center, 'self'),
      link(center, 'ASSIGNED', chain[0] ?? center),
      ...chain.slice(1).map((role, at) => link(chain[at] ?? role, 'ASSIGNED', role)),
    ],
  };
}
