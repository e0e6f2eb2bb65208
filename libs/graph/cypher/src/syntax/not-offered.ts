/** Functions and procedures of Neo4j that Plexus does not have, by how their names begin, with why. */
const NOT_OFFERED: readonly (readonly [start: string, hint: string])[] = [
  ['file', 'it belongs to LOAD CSV, which is not supported'],
  ['linenumber', 'it belongs to LOAD CSV, which is not supported'],
  ['graph.', 'there are no composite databases'],
  ['genai.', 'nothing here calls other services'],
  [
    'apoc.',
    'APOC is a plugin of Neo4j: use Cypher itself, such as CALL { … } IN TRANSACTIONS and map projections',
  ],
  ['gds.', 'the graph algorithms are a plugin of Neo4j: paths are found by SHORTEST and shortestPath()'],
  ['db.index.vector.', 'vector indexes are not supported'],
  ['db.create.', 'write SET n.key = value'],
  ['db.index.fulltext.', 'a full text index is up to date at once, and has one analyzer'],
  ['db.indexes', 'write SHOW INDEXES'],
  ['db.constraints', 'write SHOW CONSTRAINTS'],
  ['db.resample', 'every property is indexed, and plans use the numbers of the moment'],
  ['db.prepareforreplanning', 'plans use the numbers of the moment'],
  ['db.clearquerycaches', 'plans are kept for one state of the data only'],
  ['db.stats.', 'metrics are at GET /metrics'],
  ['dbms.queryjmx', 'metrics are at GET /metrics'],
  ['dbms.showcurrentuser', 'who may do what is in a keys file: plexus keys'],
  ['dbms.security.', 'who may do what is in a keys file: plexus keys'],
  ['dbms.listconfig', 'settings are environment variables: plexus serve --help'],
  ['dbms.setconfigvalue', 'settings are environment variables: plexus serve --help'],
  ['dbms.list', 'metrics are at GET /metrics'],
  ['dbms.kill', 'RESET over Bolt ends what a client runs'],
  ['dbms.routing.', 'Bolt asks for the routing table by ROUTE'],
  ['dbms.cluster.', 'nodes of a shared store find each other: docs/cluster.md'],
  ['tx.', 'metadata is given where a transaction begins'],
];

/** What to say of a name that Neo4j has; undefined for any other one. */
export function whyNotOffered(name: string): string | undefined {
  const lower = name.toLowerCase();
  return NOT_OFFERED.find(([start]) =>
    start.includes('.') ? lower.startsWith(start) : lower === start,
  )?.[1];
}
