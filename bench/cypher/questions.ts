import type { Dataset } from '../data/dataset.ts';
import type { Questions } from '../data/questions.ts';
import { QUERIES } from '../../tools/suites/lsqb/queries.ts';
import type { Parameters } from './engine.ts';
import { nameOf } from './graph-tables.ts';

/** A question in the dialects of the engines, and in PQL where it can say it. */
export interface CypherQuestion {
  readonly title: string;
  readonly cypher: string;
  /** Where an engine writes it otherwise; null where it cannot, or does not end. */
  readonly dialects?: Readonly<Partial<Record<'ladybug' | 'grafeo', string | null>>>;
  readonly parameters: Parameters;
  readonly pql?: PqlQuestion;
}

export interface PqlQuestion {
  readonly text: string;
  /** What is compared: the count, the groups by their key, or the hops of the path. */
  readonly answer: 'count' | 'groups' | 'hops';
  readonly parameters: Parameters;
}

const DEPTH = 4;

export function questionsOf(data: Dataset, asked: Questions): readonly CypherQuestion[] {
  const host = asked.lookups.find(({ index }) => data.typeOf(index) === 'host');
  if (host === undefined) throw new Error('no question of this kind: use more entities');
  const point = { name: nameOf(data, host.index) };
  return [
    {
      title: 'point',
      cypher: 'MATCH (h:host {name: $name}) RETURN count(h.serial) AS answer',
      parameters: point,
      pql: counted('FIND host WITH name = $name RETURN COUNT', point),
    },
    ...countingQuestions(asked),
    ...pathQuestions(data, asked),
    {
      title: 'aggregation over all',
      cypher: 'MATCH (n) RETURN n.region AS region, count(*) AS answer',
      parameters: {},
      pql: { text: 'FIND * GROUP BY region', answer: 'groups', parameters: {} },
    },
    {
      title: 'average by group over all',
      cypher: 'MATCH (n) RETURN n.region AS region, avg(n.cpu) AS answer',
      parameters: {},
    },
  ];
}

function counted(text: string, parameters: Parameters): PqlQuestion {
  return { text, answer: 'count', parameters };
}

function countingQuestions({ state, serviceNames }: Questions): readonly CypherQuestion[] {
  const service = { name: serviceNames[0] ?? '' };
  return [
    {
      title: 'count with a condition',
      cypher: 'MATCH (h:host) WHERE h.state = $state RETURN count(*) AS answer',
      parameters: { state },
      pql: counted('FIND host WITH state = $state RETURN COUNT', { state }),
    },
    {
      title: 'two hops, selective end',
      cypher: `MATCH (u:user)-[:OWNS]->(:host)-[:RUNS]->(s:service {name: $name})
        RETURN count(DISTINCT u) AS answer`,
      parameters: service,
      pql: counted('FIND user THAT OWNS host THAT RUNS service WITH name = $name RETURN COUNT', service),
    },
    {
      title: 'two hops',
      cypher: 'MATCH (u:user)-[:OWNS]->(:host)-[:RUNS]->(:service) RETURN count(DISTINCT u) AS answer',
      parameters: {},
      pql: counted('FIND user THAT OWNS host THAT RUNS service RETURN COUNT', {}),
    },
    {
      title: 'two hops, every row counted',
      cypher: 'MATCH (:user)-[:OWNS]->(:host)-[:RUNS]->(:service) RETURN count(*) AS answer',
      parameters: {},
      pql: counted('FIND user AS u THAT OWNS host AS h THAT RUNS service AS s RETURN COUNT', {}),
    },
  ];
}

function pathQuestions(data: Dataset, { start, pathEnds }: Questions): readonly CypherQuestion[] {
  const [path] = pathEnds;
  if (path === undefined) throw new Error('no question of this kind: use more entities');
  const [from, to] = [data.typeOf(path.fromIndex), data.typeOf(path.toIndex)];
  const ends = { from: nameOf(data, path.fromIndex), to: nameOf(data, path.toIndex) };
  return [
    {
      title: `variable length, 1 to ${DEPTH}`,
      cypher: `MATCH (a:${start.type} {name: $name})-[*1..${DEPTH}]->(b) WHERE b <> a
        RETURN count(DISTINCT b) AS answer`,
      dialects: {
        ladybug: `MATCH (a:${start.type} {name: $name})-[* SHORTEST 1..${DEPTH}]->(b) WHERE id(b) <> id(a)
          RETURN count(*) AS answer`,
      },
      parameters: { name: nameOf(data, start.index) },
      pql: counted(`FIND BLAST RADIUS FROM ${start.type} WITH _key = $key VIA RELATES TO >> DEPTH ${DEPTH}`, {
        key: nameOf(data, start.index),
      }),
    },
    {
      title: 'shortest path',
      cypher: `MATCH p = shortestPath((a:${from} {name: $from})-[*1..30]->(b:${to} {name: $to}))
        RETURN length(p) AS answer`,
      dialects: {
        ladybug: `MATCH p = (a:${from} {name: $from})-[* SHORTEST 1..30]->(b:${to} {name: $to})
          RETURN length(p) AS answer`,
      },
      parameters: ends,
      pql: {
        text: `FIND SHORTEST PATH FROM ${from} WITH _key = $from TO ${to} WITH _key = $to VIA RELATES TO >>`,
        answer: 'hops',
        parameters: ends,
      },
    },
  ];
}

const MESSAGE = ':Post|Comment';
const LSQB: Readonly<Record<string, string>> = {
  q1: `MATCH (:Country)<-[:isPartOf]-(:City)<-[:isLocatedIn]-(:Person)<-[:hasMember]-(:Forum)-[:containerOf]->
    (:Post)<-[:replyOf]-(:Comment)-[:hasTag]->(:Tag)-[:hasType]->(:TagClass)`,
  q2: `MATCH (person1:Person)-[:knows]-(person2:Person),
    (person1)<-[:hasCreator]-(comment:Comment)-[:replyOf]->(post:Post)-[:hasCreator]->(person2)`,
  q3: `MATCH (country:Country)
    MATCH (person1:Person)-[:isLocatedIn]->(city1:City)-[:isPartOf]->(country)
    MATCH (person2:Person)-[:isLocatedIn]->(city2:City)-[:isPartOf]->(country)
    MATCH (person3:Person)-[:isLocatedIn]->(city3:City)-[:isPartOf]->(country)
    MATCH (person1)-[:knows]-(person2)-[:knows]-(person3)-[:knows]-(person1)`,
  q4: `MATCH (:Tag)<-[:hasTag]-(message${MESSAGE})-[:hasCreator]->(creator:Person),
    (message)<-[:likes]-(liker:Person), (message)<-[:replyOf]-(comment:Comment)`,
  q5: `MATCH (tag1:Tag)<-[:hasTag]-(message${MESSAGE})<-[:replyOf]-(comment:Comment)-[:hasTag]->(tag2:Tag)
    WHERE tag1 <> tag2`,
  q6: `MATCH (person1:Person)-[:knows]-(person2:Person)-[:knows]-(person3:Person)-[:hasInterest]->(tag:Tag)
    WHERE person1 <> person3`,
  q7: `MATCH (:Tag)<-[:hasTag]-(message${MESSAGE})-[:hasCreator]->(creator:Person)
    OPTIONAL MATCH (message)<-[:likes]-(liker:Person)
    OPTIONAL MATCH (message)<-[:replyOf]-(comment:Comment)`,
  q8: `MATCH (tag1:Tag)<-[:hasTag]-(message${MESSAGE})<-[:replyOf]-(comment:Comment)-[:hasTag]->(tag2:Tag)
    WHERE tag1 <> tag2 AND NOT (comment)-[:hasTag]->(tag1)`,
  q9: `MATCH (person1:Person)-[:knows]-(person2:Person)-[:knows]-(person3:Person)-[:hasInterest]->(tag:Tag)
    WHERE person1 <> person3 AND NOT (person1)-[:knows]-(person3)`,
};

/** The nine questions of LSQB. */
export function lsqbQuestions(): readonly CypherQuestion[] {
  return QUERIES.map(({ name, pql }) => {
    const cypher = `${LSQB[name] ?? ''} RETURN count(*) AS answer`;
    return {
      title: `LSQB ${name}`,
      cypher,
      dialects: {
        // Several labels of a pattern are alternatives there, and nodes are compared by their ids.
        ladybug: cypher
          .replaceAll(MESSAGE, ':Post:Comment')
          .replaceAll(/(\w+) <> (\w+)/g, 'id($1) <> id($2)'),
        // It does not read alternatives; the types of the relationships leave no other label.
        grafeo: cypher.replaceAll(MESSAGE, ''),
      },
      parameters: {},
      pql: { text: pql, answer: 'count', parameters: {} },
    };
  });
}
