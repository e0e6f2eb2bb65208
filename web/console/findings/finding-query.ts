/** What the list of findings asks for, from the parameters of the address. */
import type { ListFindingsData } from '../api/generated/types.gen.ts';

export type FindingQuery = NonNullable<ListFindingsData['query']>;

export const PAGE_SIZE = 100;

/** Filters that the service takes by the same names. */
const FIELDS = ['severity', 'rule', 'class', 'assignee', 'q'] as const;

/** In the address, so that nobody has to type a name that nobody has. */
export const NOBODY = '-';

/** The times to choose from, by what `opened_since` takes. */
export const OPENED = [
  ['', 'Any time'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
] as const;

export const ORDERS = [
  ['', 'Worst first'],
  ['opened', 'Newest first'],
  ['rule', 'By rule'],
  ['label', 'By name'],
  ['assignee', 'By assignee'],
  ['until', 'Waivers that end first'],
] as const;

export function queryOf(parameters: Readonly<Partial<Record<string, string>>>): FindingQuery {
  const { state = 'open', since, sort } = parameters;
  const fields = FIELDS.flatMap((name) => {
    const value = parameters[name];
    return value === undefined ? [] : [[name, value === NOBODY ? '' : value] as const];
  });
  return {
    ...Object.fromEntries(fields),
    ...(state !== 'all' && { state }),
    ...(since !== undefined && { opened_since: since }),
    ...(isOrder(sort) && { sort, order: sort === 'opened' ? 'desc' : 'asc' }),
    limit: PAGE_SIZE,
    offset: Number(parameters['offset'] ?? 0) || 0,
  };
}

function isOrder(sort: string | undefined): sort is NonNullable<FindingQuery['sort']> {
  return ORDERS.some(([name]) => name !== '' && name === sort);
}
