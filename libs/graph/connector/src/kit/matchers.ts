import type { TestRun } from './run-connector.ts';

interface Verdict {
  readonly pass: boolean;
  readonly message: () => string;
}

/** Compares properties for `expect`: each given one must be present and equal as JSON. */
type PartialProperties = Readonly<Record<string, unknown>>;

/**
 * For `expect.extend`, of Jest or Vitest:
 *
 * - `toHaveEmitted(type, key, properties?)`;
 * - `toHaveRelated('from-key VERB to-key')`;
 * - `toHaveCompleted()`: no step failed, and every end of a relationship was emitted.
 */
export const connectorMatchers = {
  toHaveEmitted(run: TestRun, type: string, key: string, properties: PartialProperties = {}): Verdict {
    const entity = run.entities.find((each) => each.type === type && each.key === key);
    const different = Object.keys(properties).filter(
      (name) => JSON.stringify(entity?.properties[name]) !== JSON.stringify(properties[name]),
    );
    const found = entity === undefined ? 'there is none' : `different: ${different.join(', ')}`;
    return verdict(entity !== undefined && different.length === 0, `the entity ${type} ${key}`, found);
  },

  toHaveRelated(run: TestRun, sentence: string): Verdict {
    const sentences = run.relationships.map(({ from, verb, to }) => `${from.key} ${verb} ${to.key}`);
    return verdict(sentences.includes(sentence), sentence, `there are ${sentences.slice(0, 20).join('; ')}`);
  },

  toHaveCompleted(run: TestRun): Verdict {
    const failed = run.report.steps.filter(({ status }) => status !== 'done' && status !== 'disabled');
    const faults = [...failed.map(({ id, reason = '' }) => `${id}: ${reason}`), ...looseEnds(run)];
    return verdict(faults.length === 0, 'a complete run', faults.slice(0, 20).join('; '));
  },
};

function looseEnds({ entities, relationships }: TestRun): readonly string[] {
  const known = new Set(entities.map(({ type, key }) => `${type} ${key}`));
  const ends = relationships.flatMap(({ from, to }) => [from, to]).map(({ type, key }) => `${type} ${key}`);
  return [...new Set(ends.filter((end) => !known.has(end)))].map((end) => `${end} was not emitted`);
}

function verdict(pass: boolean, expected: string, found: string): Verdict {
  return { pass, message: () => (pass ? `expected not: ${expected}` : `expected ${expected}; ${found}`) };
}
