/** Example bodies of the documentation; a test sends each of them. */
export const QUERY_EXAMPLES = {
  filter: { summary: 'entities', value: { pql: "FIND Host WITH state = 'running' AND env = 'prod'" } },
  parameters: {
    summary: 'parameters',
    value: { pql: 'FIND host WITH state = $state', params: { state: 'running' }, limit: 2 },
  },
  hops: {
    summary: 'who reaches which data, as rows',
    value: {
      pql: 'FIND user AS u THAT ASSIGNED role THAT ALLOWS (DataStore|Database) AS d RETURN u._key, d._key',
    },
  },
  absence: { summary: 'what is missing', value: { pql: 'FIND host THAT !PROTECTS edr_agent' } },
  groups: { summary: 'a grouped result', value: { pql: 'FIND Host GROUP BY region' } },
  path: {
    summary: 'the shortest path',
    value: { pql: "FIND SHORTEST PATH FROM user WITH _key = 'alice' TO secret" },
  },
  blast: {
    summary: 'what is reached from here',
    value: { pql: "FIND BLAST RADIUS FROM host WITH _key = 'web-01' VIA RELATES TO >> DEPTH 2" },
  },
  moment: {
    summary: 'as of the first batch',
    value: { pql: 'FIND Host RETURN COUNT', as_of: 1 },
  },
  explain: { summary: 'the plan, without running it', value: { pql: 'EXPLAIN FIND host' } },
};

/** Rows as lines: one object each, and the closing line. */
export const LINES_EXAMPLE = '{"u._key":"alice","d._key":"customers"}\n{"end":true,"count":1}\n';
