import neo4j from 'neo4j-driver';

const { types } = neo4j;

/** One of each kind, as the driver of Neo4j makes them, and what is hard about it. */
export const TEMPORAL_AND_SPATIAL = {
  date: new types.Date(-1n, 2n, 28n),
  localTime: new types.LocalTime(23n, 59n, 59n, 999_999_999n),
  time: new types.Time(1n, 2n, 3n, 4n, -3_600n),
  localDateTime: new types.LocalDateTime(1969n, 12n, 31n, 23n, 59n, 59n, 1n),
  dateTime: new types.DateTime(2024n, 2n, 29n, 12n, 0n, 0n, 5n, 5_400n),
  duration: new types.Duration(14n, -3n, 7n, 500_000_000n),
  point: new types.Point(4_326n, 11.9, 57.7),
};
