import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsonElements } from './json-elements.ts';

const LISTS = ['data', 'graph.nodes', 'graph.edges'];

/** Feeds the text in pieces of these sizes in turn. */
function parts(text: string | Uint8Array, sizes: readonly number[] = [1]): string[] {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const elements = new JsonElements(LISTS);
  const found: string[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    // A reader may use one buffer for all of its pieces.
    const piece = Uint8Array.from(bytes.subarray(at, at + size));
    for (const part of elements.feed(piece)) found.push(`${part.path} ${part.index ?? '-'} ${part.text}`);
    piece.fill(0);
    at += size;
  }
  elements.finish();
  return found;
}

describe('the elements of a JSON document', () => {
  it('come one by one, with the other fields as they are', () => {
    const text = `\uFEFF {"meta": {"type": "users", "n": [1, {"data": []}]}, "data" : [ {"a": "]}\\"\\\\"} , 7,"x" , null,[] ],
      "graph": {"nodes": [], "other": true, "edges": [{"kind": "ü"}]}, "end": -1.5e3}`;

    expect(parts(text)).toEqual([
      'meta - {"type": "users", "n": [1, {"data": []}]}',
      'data 0 {"a": "]}\\"\\\\"}',
      'data 1 7',
      'data 2 "x"',
      'data 3 null',
      'data 4 []',
      'graph.other - true',
      'graph.edges 0 {"kind": "ü"}',
      'end - -1.5e3',
    ]);
  });

  it('are those that JSON.parse finds, however the text is cut into pieces', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
    const document = fc.record({
      meta: fc.jsonValue(),
      data: fc.array(fc.jsonValue()),
      more: fc.jsonValue(),
    });
    fc.assert(
      fc.property(document, sizes, fc.constantFrom(0, 1), (value, pieces, indent) => {
        const found = parts(JSON.stringify(value, undefined, indent), pieces);
        const texts = found
          .filter((part) => part.startsWith('data '))
          .map((part) => part.replace(/^data \d+ /, ''));
        expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual(
          JSON.parse(JSON.stringify(value.data)),
        );
        expect(found).toHaveLength(value.data.length + 2);
      }),
    );
  });

  it.each([
    ['[]', 'got other text at byte 0'],
    ['{"data": [1, 2', 'got one that ends at byte 14'],
    ['{"data": [{"a": "b', 'got one that ends at byte 18'],
    ['{"data": [1}', 'got other text at byte 11'],
    ['{"data": [1] "b": 2}', 'got other text at byte 13'],
    ['{"data" [1]}', 'got other text at byte 8'],
    ['{data: 1}', 'got other text at byte 1'],
    ['{} {}', 'got other text at byte 3'],
    ['{}\0', 'got other text at byte 2'],
    ['{"data": [], "data": [1]}', 'got the name "data" twice at byte 18'],
    ['{"data": [], "d\\u0061ta": [1]}', 'got the name "data" twice at byte 23'],
    ['{"d\\xta": [1]}', 'got the name "d\\xta" at byte 7'],
    [`{"${'k'.repeat(1_100)}": 1}`, 'got a value of more than 1024 bytes'],
    [
      Uint8Array.from(Buffer.from('{"data": ["\xe9"]}', 'latin1')),
      'got text in another encoding than UTF-8 at byte 12',
    ],
  ])('of %p are refused', (text, message) => {
    expect(() => parts(text)).toThrow(`expected a JSON document, ${message}`);
  });
});
