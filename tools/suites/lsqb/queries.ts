/**
 * The nine queries of LSQB, as PQL and as the benchmark's own SQL (ldbc/lsqb, `sql/q1.sql` to `sql/q9.sql`,
 * Apache-2.0), with the published counts for its example and at scale 0.1. All nodes are aliased: a row is
 * one embedding.
 */
export interface LsqbQuery {
  readonly name: string;
  readonly pql: string;
  readonly sql: string;
  readonly inExample: number;
  readonly atScale01: number;
}

export const QUERIES: readonly LsqbQuery[] = [
  {
    name: 'q1',
    pql: `FIND Country AS country THAT isPartOf << City AS city THAT isLocatedIn << Person AS person
      THAT hasMember << Forum AS forum THAT containerOf >> Post AS post THAT replyOf << Comment AS comment
      THAT hasTag >> Tag AS tag THAT hasType >> TagClass AS tagclass RETURN COUNT`,
    sql: `SELECT count(*) AS n FROM City_isPartOf_Country
      JOIN Person_isLocatedIn_City ON Person_isLocatedIn_City.b = City_isPartOf_Country.a
      JOIN Forum_hasMember_Person ON Forum_hasMember_Person.b = Person_isLocatedIn_City.a
      JOIN Forum_containerOf_Post ON Forum_containerOf_Post.a = Forum_hasMember_Person.a
      JOIN Comment_replyOf_Post ON Comment_replyOf_Post.b = Forum_containerOf_Post.b
      JOIN Comment_hasTag_Tag ON Comment_hasTag_Tag.a = Comment_replyOf_Post.a
      JOIN Tag_hasType_TagClass ON Tag_hasType_TagClass.a = Comment_hasTag_Tag.b`,
    inExample: 8,
    atScale01: 8_773_828,
  },
  {
    name: 'q2',
    pql: `FIND Person AS person1 THAT hasCreator << Comment AS comment THAT replyOf >> Post AS post
      THAT hasCreator >> Person AS person2 WHERE (person1 THAT knows person2) RETURN COUNT`,
    sql: `SELECT count(*) AS n FROM knows
      JOIN Comment_hasCreator_Person ON knows.a = Comment_hasCreator_Person.b
      JOIN Comment_replyOf_Post ON Comment_replyOf_Post.a = Comment_hasCreator_Person.a
      JOIN Post_hasCreator_Person
        ON Post_hasCreator_Person.a = Comment_replyOf_Post.b AND Post_hasCreator_Person.b = knows.b`,
    inExample: 3,
    atScale01: 82_990,
  },
  {
    name: 'q3',
    pql: `FIND Country AS country
      (THAT isPartOf << City AS city1 THAT isLocatedIn << Person AS person1)
      (THAT isPartOf << City AS city2 THAT isLocatedIn << Person AS person2)
      (THAT isPartOf << City AS city3 THAT isLocatedIn << Person AS person3)
      WHERE (person1 THAT knows person2) AND (person2 THAT knows person3) AND (person3 THAT knows person1)
      RETURN COUNT`,
    sql: `SELECT count(*) AS n FROM City_isPartOf_Country AS cityA
      JOIN City_isPartOf_Country AS cityB ON cityB.b = cityA.b
      JOIN City_isPartOf_Country AS cityC ON cityC.b = cityA.b
      JOIN Person_isLocatedIn_City AS personA ON personA.b = cityA.a
      JOIN Person_isLocatedIn_City AS personB ON personB.b = cityB.a
      JOIN Person_isLocatedIn_City AS personC ON personC.b = cityC.a
      JOIN knows AS k1 ON k1.a = personA.a AND k1.b = personB.a
      JOIN knows AS k2 ON k2.a = personB.a AND k2.b = personC.a
      JOIN knows AS k3 ON k3.a = personC.a AND k3.b = personA.a`,
    inExample: 6,
    atScale01: 30_456,
  },
  {
    name: 'q4',
    pql: `FIND (Post|Comment) AS message (THAT hasTag >> Tag AS tag) (THAT hasCreator >> Person AS creator)
      (THAT likes << Person AS liker) THAT replyOf << Comment AS comment RETURN COUNT`,
    sql: `SELECT count(*) AS n FROM Message_hasTag_Tag
      JOIN Message_hasCreator_Person ON Message_hasTag_Tag.a = Message_hasCreator_Person.a
      JOIN Comment_replyOf_Message ON Comment_replyOf_Message.b = Message_hasTag_Tag.a
      JOIN Person_likes_Message ON Person_likes_Message.b = Message_hasTag_Tag.a`,
    inExample: 8,
    atScale01: 784_511,
  },
  {
    name: 'q5',
    pql: `FIND Tag AS tag1 THAT hasTag << (Post|Comment) AS message THAT replyOf << Comment AS comment
      THAT hasTag >> Tag AS tag2 WHERE tag1 != tag2 RETURN COUNT`,
    sql: `SELECT count(*) AS n FROM Message_hasTag_Tag
      JOIN Comment_replyOf_Message ON Message_hasTag_Tag.a = Comment_replyOf_Message.b
      JOIN Comment_hasTag_Tag AS cht ON Comment_replyOf_Message.a = cht.a
      WHERE Message_hasTag_Tag.b != cht.b`,
    inExample: 3,
    atScale01: 1_079_722,
  },
  {
    name: 'q6',
    pql: `FIND Person AS person1 THAT knows Person AS person2 THAT knows Person AS person3
      THAT hasInterest >> Tag AS tag WHERE person1 != person3 RETURN COUNT`,
    sql: `SELECT count(*) AS n FROM knows AS k1
      JOIN knows AS k2 ON k1.b = k2.a AND k1.a != k2.b
      JOIN Person_hasInterest_Tag ON Person_hasInterest_Tag.a = k2.b`,
    inExample: 8,
    atScale01: 55_607_896,
  },
  {
    name: 'q7',
    pql: `FIND (Post|Comment) AS message (THAT hasTag >> Tag AS tag) (THAT hasCreator >> Person AS creator)
      (THAT likes << Person AS liker)? (THAT replyOf << Comment AS comment)? RETURN COUNT`,
    sql: `SELECT count(*) AS n FROM Message_hasTag_Tag
      JOIN Message_hasCreator_Person ON Message_hasTag_Tag.a = Message_hasCreator_Person.a
      LEFT JOIN Comment_replyOf_Message ON Comment_replyOf_Message.b = Message_hasTag_Tag.a
      LEFT JOIN Person_likes_Message ON Person_likes_Message.b = Message_hasTag_Tag.a`,
    inExample: 11,
    atScale01: 1_628_132,
  },
  {
    name: 'q8',
    pql: `FIND Tag AS tag1 THAT hasTag << (Post|Comment) AS message THAT replyOf << Comment AS comment
      THAT hasTag >> Tag AS tag2 WHERE tag1 != tag2 AND NOT (comment THAT hasTag >> tag1) RETURN COUNT`,
    sql: `SELECT count(*) AS n FROM Message_hasTag_Tag
      JOIN Comment_replyOf_Message ON Message_hasTag_Tag.a = Comment_replyOf_Message.b
      JOIN Comment_hasTag_Tag AS cht1 ON Comment_replyOf_Message.a = cht1.a
      LEFT JOIN Comment_hasTag_Tag AS cht2
        ON Message_hasTag_Tag.b = cht2.b AND Comment_replyOf_Message.a = cht2.a
      WHERE Message_hasTag_Tag.b != cht1.b AND cht2.b IS NULL`,
    inExample: 2,
    atScale01: 537_142,
  },
  {
    name: 'q9',
    pql: `FIND Person AS person1 THAT knows Person AS person2 THAT knows Person AS person3
      THAT hasInterest >> Tag AS tag WHERE person1 != person3 AND NOT (person1 THAT knows person3) RETURN COUNT`,
    sql: `SELECT count(*) AS n FROM knows AS k1
      JOIN knows AS k2 ON k1.b = k2.a AND k1.a != k2.b
      JOIN Person_hasInterest_Tag ON Person_hasInterest_Tag.a = k2.b
      LEFT JOIN knows AS k3 ON k3.a = k1.a AND k3.b = k2.b
      WHERE k3.a IS NULL`,
    inExample: 4,
    atScale01: 51_009_398,
  },
];

/** Tables derived from those of {@link tableOf}: comments have even numbers as messages, posts odd ones. */
export const DERIVED: readonly { readonly name: string; readonly select: string }[] = [
  {
    name: 'knows',
    select: 'SELECT a, b FROM Person_knows_Person UNION ALL SELECT b, a FROM Person_knows_Person',
  },
  {
    name: 'Message_hasTag_Tag',
    select: `SELECT a * 2 AS a, b FROM Comment_hasTag_Tag
      UNION ALL SELECT a * 2 + 1, b FROM Post_hasTag_Tag`,
  },
  {
    name: 'Message_hasCreator_Person',
    select: `SELECT a * 2 AS a, b FROM Comment_hasCreator_Person
      UNION ALL SELECT a * 2 + 1, b FROM Post_hasCreator_Person`,
  },
  {
    name: 'Comment_replyOf_Message',
    select: `SELECT a, b * 2 + 1 AS b FROM Comment_replyOf_Post
      UNION ALL SELECT a, b * 2 FROM Comment_replyOf_Comment`,
  },
  {
    name: 'Person_likes_Message',
    select: `SELECT a, b * 2 AS b FROM Person_likes_Comment
      UNION ALL SELECT a, b * 2 + 1 FROM Person_likes_Post`,
  },
];
