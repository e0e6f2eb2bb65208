import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsonWriter } from './json-writer.ts';

const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: fc.constantFrom('\ud800', '\udfff', '"', '\\', '\u001f', '\u007f', 'é', 'a') }),
  fc.string({ minLength: 100, maxLength: 2_000 }),
);
const scalar = fc.oneof(
  text,
  fc.boolean(),
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const values = fc.array(fc.oneof(scalar, fc.array(scalar, { maxLength: 4 })), { maxLength: 50 });

describe('JsonWriter', () => {
  it('writes the output of JSON.stringify, and never changes finished texts', () => {
    const law = fc.property(values, (written) => {
      const writer = new JsonWriter();

      const taken = written.map((value) => writer.begin().value(value).take());

      const texts = taken.map((bytes) => Buffer.from(bytes).toString('utf8'));
      expect(texts).toEqual(written.map((value) => JSON.stringify(value)));
    });
    fc.assert(law);
  });

  it('moves an unfinished text of any length to the next slab', () => {
    const writer = new JsonWriter();
    const parts = Array.from({ length: 3_000 }, (_, at) => `part ${String(at)} ${'x'.repeat(90)}`);

    writer.begin().raw('[');
    for (const [at, part] of parts.entries()) writer.raw(at === 0 ? '' : ',').string(part);
    const bytes = writer.raw(']').take();

    expect(JSON.parse(Buffer.from(bytes).toString('utf8'))).toEqual(parts);
  });

  it('discards an unfinished text', () => {
    const writer = new JsonWriter();

    writer.begin().string('given up');

    expect(Buffer.from(writer.begin().string('kept').take()).toString('utf8')).toBe('"kept"');
  });
});
