import { describe, expect, it } from '@jest/globals';
import { parseXml } from './xml-tree.ts';

const LAUGHS = `<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;&b;&b;">]><a>&c;</a>`;

describe('XML', () => {
  it('is a tree with names, namespaces, attributes and text', () => {
    const text = `<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE a><!-- no element -->
<x:a xmlns:x="urn:x" id="1 &amp; 2"> one <b>&lt;two&#33;</b><![CDATA[ <three> ]]></x:a>`;

    const root = parseXml(text, 'a document');

    expect(root).toMatchObject({ name: 'a', namespace: 'urn:x', line: 3, text: 'one  <three>' });
    expect(root.attributes['id']).toBe('1 & 2');
    expect(root.children).toEqual([
      { name: 'b', namespace: '', attributes: {}, children: [], text: '<two!', line: 3 },
    ]);
  });

  it.each([
    ['entities of its own', LAUGHS, 'a document type with declarations of its own in line 1'],
    ['an unknown entity', '<a>\n&laugh;</a>', 'Invalid character entity in line 2'],
    [
      'an external entity',
      '<!DOCTYPE a SYSTEM "x" [ <!ENTITY e SYSTEM "file:///etc/passwd"> ]><a/>',
      'in line 1',
    ],
    ['deep nesting', '<a>'.repeat(501), 'elements nested deeper than 500 in line 1'],
    ['an end that is missing', '<a>\n<b>\n</b>', 'Unclosed root tag in line 3'],
    ['an end of another element', '<a><b></a>', 'Unexpected close tag in line 1'],
    ['an attribute that is cut', '<a b="', 'in line 1'],
    ['no element', '<?xml version="1.0"?>', 'in line 1'],
    ['another encoding', '<?xml version="1.0" encoding="UTF-16"?><a/>', 'the encoding UTF-16'],
    ['an unknown prefix', '<x:a/>', 'Unbound namespace prefix: "x:a" in line 1'],
  ])('with %s is refused with the line', (_, text, message) => {
    expect(() => parseXml(text, 'a document')).toThrow(message);
    expect(() => parseXml(text, 'a document')).toThrow(/^expected a document/);
  });
});
