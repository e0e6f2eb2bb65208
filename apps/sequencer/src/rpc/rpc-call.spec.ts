import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseBody } from './rpc-call.ts';

const codeOf = (text: string): number | undefined => {
  const body = parseBody(text);
  return 'single' in body && 'fault' in body.single ? body.single.fault.code : undefined;
};

describe('the body of a JSON-RPC request', () => {
  it.each([
    ['{"jsonrpc":"2.0","id":1,"method":"m","params":["a",2]}', '1', ['a', 2]],
    ['{"jsonrpc":"2.0","id":"x\\"y","method":"m"}', '"x\\"y"', []],
    ['{"jsonrpc":"2.0","id":null,"method":"m","params":null}', 'null', []],
    ['{"jsonrpc":"2.0","method":"m","params":[]}', undefined, []],
  ])('%s is a call', (text, id, params) => {
    expect(parseBody(text)).toEqual({ single: { id, method: 'm', params } });
  });

  it.each([
    ['', -32_700],
    ['{', -32_700],
    ['"text"', -32_600],
    ['null', -32_600],
    ['[]', -32_600],
    ['{"id":1,"method":"m"}', -32_600],
    ['{"jsonrpc":"2.0","id":{},"method":"m"}', -32_600],
    ['{"jsonrpc":"2.0","id":1,"method":7}', -32_600],
    ['{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}', -32_602],
    [`[${'1,'.repeat(1_000)}1]`, -32_600],
  ])('%.60s is rejected with %i', (text, code) => {
    expect(codeOf(text)).toBe(code);
  });

  it('may be a batch, in which an invalid entry does not affect the others', () => {
    const body = parseBody('[1,{"jsonrpc":"2.0","id":2,"method":"m"}]');

    expect(body).toEqual({
      batch: [
        { id: 'null', fault: expect.objectContaining({ code: -32_600 }) },
        { id: '2', method: 'm', params: [] },
      ],
    });
  });

  it('is parsed without exceptions for any input', () => {
    const members = fc.record(
      {
        jsonrpc: fc.constantFrom('2.0', '1.0'),
        id: fc.jsonValue(),
        method: fc.jsonValue(),
        params: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );

    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          members.map((value) => JSON.stringify(value)),
        ),
        (text) => {
          const body = parseBody(text);

          const entries = 'single' in body ? [body.single] : body.batch;
          expect(entries.length).toBeGreaterThan(0);
          for (const { id } of entries) if (id !== undefined) JSON.parse(id);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
