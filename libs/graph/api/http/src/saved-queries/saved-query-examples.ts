/** Example saved queries of the documentation with their replies; a test sends and compares each. */
export const EXAMPLE_QUERY_NAME = 'Hosts of an environment';

export const EXAMPLE_QUERY = {
  text: 'FIND Host WITH env = $env AS h RETURN h._key, h.os ORDER BY h._key',
  description: 'The hosts of one environment, and what they run.',
  tags: ['inventory'],
  parameters: { env: { type: 'string', default: 'prod' } },
};

const AT = '2026-11-21T06:00:00.000Z';

export const QUERY_SET_EXAMPLE = { queries: [{ name: EXAMPLE_QUERY_NAME, ...EXAMPLE_QUERY }] };
export const SAVED_QUERY_EXAMPLE = { name: EXAMPLE_QUERY_NAME, ...EXAMPLE_QUERY, updated_at: AT };
export const SAVED_QUERY_LIST_EXAMPLE = { count: 1, queries: [SAVED_QUERY_EXAMPLE] };
export const QUERIES_CHANGED_EXAMPLE = { count: 1, added: 1, updated: 0, removed: 0 };

export const QUERY_YAML_EXAMPLE = `version: 1
queries:
  - name: ${EXAMPLE_QUERY_NAME}
    description: ${EXAMPLE_QUERY.description}
    text: ${EXAMPLE_QUERY.text}
    tags:
      - inventory
    parameters:
      env:
        type: string
        default: prod
`;
