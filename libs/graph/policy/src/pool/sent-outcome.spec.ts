import { describe, expect, it } from '@jest/globals';
import { FIXTURE, NaiveReader } from '#graph/testing';
import { evaluateRule } from '../evaluation/evaluate-rule.ts';
import { parseRule } from '../rule/parse-rules.ts';
import { createRuleEngine } from '../rule/rule-query.ts';
import { jsonSource } from '../rule/rule-source.ts';
import { receivedOutcome, sentOutcome } from './sent-outcome.ts';

describe('an outcome sent by a thread', () => {
  it.each(['FIND host', 'FIND host GROUP BY env HAVING count > 0', 'FIND spaceship'])(
    'is equal after it is received: %s',
    (query) => {
      const rule = parseRule(
        jsonSource({ id: 'r', query, exceptions: [{ match: "env = 'dev'", reason: 'x' }] }),
      );
      const task = { rule, params: {}, violationsMax: 10, timeoutMs: 60_000, nowMs: 0 };
      const outcome = evaluateRule(createRuleEngine(), new NaiveReader(FIXTURE), task);

      const { sightings, ...received } = receivedOutcome(structuredClone(sentOutcome(outcome)));

      const { findingIds, labels, classes, entityIds, waived } = sightings;
      const read = { findingIds, labels, classes, entityIds, waived };
      expect({ ...received, sightings: read }).toEqual(outcome);
    },
  );
});
