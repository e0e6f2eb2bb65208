/** Values sent over gRPC into the store and read back. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ValueSent } from '#graph/api/grpc';
import { callFault, GraphCaller, plainValue } from '#graph/testing';
import { TestService } from './support/test-service.ts';

const RUNS = 40;

const scalars = {
  boolean: fc.boolean(),
  number: fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger()),
  string: fc.string({ unit: 'grapheme' }),
};

type Plain = null | boolean | number | string | readonly (boolean | number | string)[];

const arbitraryPlain: fc.Arbitrary<Plain> = fc.oneof(
  fc.constant(null),
  ...Object.values(scalars),
  fc.array(scalars.boolean, { minLength: 1, maxLength: 5 }),
  fc.array(scalars.number, { minLength: 1, maxLength: 5 }),
  fc.array(scalars.string, { minLength: 1, maxLength: 5 }),
);

function sent(value: Plain): ValueSent {
  switch (typeof value) {
    case 'boolean':
      return { boolValue: value };
    case 'number':
      return Number.isSafeInteger(value) ? { int64Value: value } : { doubleValue: value };
    case 'string':
      return { stringValue: value };
    default:
      return value === null ? { nullValue: 'NULL_VALUE' } : { listValue: { values: value.map(sent) } };
  }
}

/** The store does not distinguish −0 from 0. */
const unsigned = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(unsigned) : value === 0 ? 0 : value;

describe('a value over gRPC', () => {
  let service: TestService;
  let caller: GraphCaller;
  let keys = 0;

  beforeAll(async () => {
    service = await TestService.start({ environment: { PLEXUS_GRPC_PORT: '0' } });
    caller = new GraphCaller(service.grpcAddress);
  });
  afterAll(async () => {
    caller.close();
    await service.stop();
  });

  const write = (x: ValueSent, options = {}): Promise<unknown> =>
    caller.write({ entities: [{ type: 'thing', key: `t${keys++}`, properties: { x } }], options });

  it('is returned as it was sent, and as REST shows it', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryPlain, async (value) => {
        await write(sent(value));
        const pql = `FIND thing WITH _key = 't${keys - 1}'`;
        const { items } = await caller.query(pql);
        const shown = await service.query(pql);

        const back = plainValue(items[0]?.entity?.properties['x'] ?? {});
        expect(unsigned(back)).toEqual(unsigned(value));
        expect(shown.entities).toMatchObject([{ properties: { x: back } }]);
      }),
      { numRuns: RUNS },
    );
  });

  it('is a 64-bit integer if it is exact, and not an integer otherwise', async () => {
    await write({ doubleValue: 8 });
    await write({ doubleValue: 2 ** 60 });
    await write({ int64Value: String(Number.MAX_SAFE_INTEGER) });
    const { items } = await caller.query('FIND thing AS t WHERE t.x >= 8 RETURN t.x');

    const values = items.map(({ row }) => row?.cells[0]?.value);
    expect(values).toContainEqual({ kind: 'int64Value', int64Value: '8' });
    expect(values).toContainEqual({ kind: 'doubleValue', doubleValue: 2 ** 60 });
    expect(values).toContainEqual({ kind: 'int64Value', int64Value: '9007199254740991' });
  });

  it.each(['9007199254740993', '-9223372036854775808', '9223372036854775807'])(
    'that a number would round (%s) is shown as text, as REST shows it',
    async (digits) => {
      await write({ int64Value: digits });
      const { items } = await caller.query(`FIND thing WITH x = '${digits}'`);
      const shown = await service.query(`FIND thing WITH x = '${digits}'`);

      expect(items.map(({ entity }) => entity?.properties['x'])).toMatchObject([{ stringValue: digits }]);
      expect(shown.entities).toMatchObject([{ properties: { x: digits } }]);
    },
  );

  it.each([
    ['a map', { mapValue: { fields: { a: { boolValue: true } } } }, 'NESTED_PROPERTY'],
    ['no number', { doubleValue: NaN }, 'INVALID_REQUEST'],
    ['beyond all numbers', { doubleValue: Infinity }, 'INVALID_REQUEST'],
    ['a mixed list', { listValue: { values: [{ boolValue: true }, { int64Value: 1 }] } }, 'INVALID_REQUEST'],
  ])('that is %s is refused', async (_, value, error) => {
    expect(await callFault(write(value))).toMatchObject({ status: 'INVALID_ARGUMENT', error: { error } });
  });

  it('is flattened on request if it is a map', async () => {
    await write(
      { mapValue: { fields: { deep: { mapValue: { fields: { er: { int64Value: 7 } } } } } } },
      { flatten: true },
    );

    expect((await caller.query('FIND thing WITH [x.deep.er] = 7')).summary.count).toBe('1');
  });

  it('may be named like a member of Object, except __proto__', async () => {
    const named = (name: string): Promise<unknown> =>
      caller.write({
        entities: [{ type: 'odd', key: 'o', properties: Object.fromEntries([[name, { int64Value: 1 }]]) }],
      });
    await named('constructor');
    const { items } = await caller.query('FIND odd');

    expect(Object.entries(items[0]?.entity?.properties ?? {})).toMatchObject([
      ['constructor', { int64Value: '1' }],
    ]);
    expect(await callFault(named('__proto__'))).toMatchObject({ error: { error: 'INVALID_REQUEST' } });
  });

  it('is accepted as a named or positional parameter', async () => {
    const params = { '1': { int64Value: 7 }, name: { stringValue: 'x' } };
    const byName = await caller.query({ pql: 'FIND thing WITH x = $1 OR x = $name RETURN COUNT', params });
    const large = { '1': { int64Value: '9007199254740993' } };
    const fault = await callFault(caller.query({ pql: 'FIND thing WITH x = $1', params: large }));

    expect(byName.head.kind).toBe('count');
    expect(fault).toMatchObject({ status: 'INVALID_ARGUMENT', error: { error: 'INVALID_REQUEST' } });
  });
});
