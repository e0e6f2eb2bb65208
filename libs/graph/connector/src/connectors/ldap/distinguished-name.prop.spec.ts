import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isTopLevel, isWithin, normalName } from './distinguished-name.ts';

type Pair = readonly [type: string, value: string];
type Name = readonly (readonly Pair[])[];

const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  cn: ['cn', 'CN', '2.5.4.3', 'oid.2.5.4.3', 'commonName'],
  uid: ['uid', 'Uid', '0.9.2342.19200300.100.1.1', 'userId'],
  ou: ['ou', 'OU', '2.5.4.11'],
  x: ['x', 'X'],
};
const CHARACTERS = Array.from('abAB41,+="\\#;<> éÉß字😀');
const value = fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 6 }).map((all) => all.join(''));
const pair = fc.tuple(fc.constantFrom(...Object.keys(SPELLINGS)), value);
const name: fc.Arbitrary<Name> = fc.array(fc.array(pair, { minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 5,
});
const choices = fc.infiniteStream(fc.nat({ max: 999 }));

/** The content of a name, independent of its spelling. */
function meaningOf(parts: Name): string {
  const fold = (text: string) => text.toLowerCase().replaceAll('ß', 'ss').replace(/ +/g, ' ').trim();
  return JSON.stringify(parts.map((pairs) => pairs.map(([type, text]) => `${type}=${fold(text)}`).sort()));
}

class Writer {
  readonly #choices: Iterator<number>;

  constructor(stream: Iterable<number>) {
    this.#choices = stream[Symbol.iterator]();
  }

  name(parts: Name): string {
    return parts.map((pairs) => this.#part(pairs)).join(this.#separator(','));
  }

  #part(pairs: readonly Pair[]): string {
    const turned = this.#below(2) === 0 ? pairs : pairs.toReversed();
    return turned.map((each) => this.#pair(each)).join(this.#separator('+'));
  }

  #pair([type, text]: Pair): string {
    return `${this.#oneOf(SPELLINGS[type] ?? [type])}${this.#separator('=')}${this.#value(text)}`;
  }

  #value(text: string): string {
    if (this.#below(8) === 0) {
      const bytes = Buffer.from(text);
      return `#0c${bytes.length.toString(16).padStart(2, '0')}${bytes.toString('hex')}`;
    }
    // Blanks before a value are insignificant.
    const first = text.search(/[^ ]/);
    let at = 0;
    return Array.from(text, (character) => {
      const isFirst = at === first;
      at += character.length;
      return this.#character(character, isFirst);
    }).join('');
  }

  #character(character: string, isFirst: boolean): string {
    const hex = Array.from(Buffer.from(character), (byte) => `\\${byte.toString(16).padStart(2, '0')}`).join(
      '',
    );
    if (this.#below(3) === 0) return this.#below(2) === 0 ? hex : hex.toUpperCase();
    if (character === ' ') return this.#oneOf([' ', '  ', '\\ ']);
    const isSpecial = ',+"\\<>;'.includes(character) || (isFirst && character === '#');
    if (isSpecial) return `\\${character}`;
    return this.#oneOf([character, character.toUpperCase(), character.toLowerCase()]);
  }

  #separator(sign: string): string {
    return `${this.#oneOf(['', ' '])}${sign}${this.#oneOf(['', ' ', '  '])}`;
  }

  #oneOf(values: readonly string[]): string {
    return values[this.#below(values.length)] ?? '';
  }

  #below(count: number): number {
    return Number(this.#choices.next().value) % count;
  }
}

describe('the normal form of a distinguished name', () => {
  it('is equal for all spellings, and idempotent', () => {
    fc.assert(
      fc.property(name, choices, choices, (parts, one, other) => {
        const normal = normalName(new Writer(one).name(parts));

        expect(normalName(new Writer(other).name(parts))).toBe(normal);
        expect(normalName(normal)).toBe(normal);
      }),
      { numRuns: 500 },
    );
  });

  it('differs for different names', () => {
    fc.assert(
      fc.property(name, name, choices, (one, other, stream) => {
        const writer = new Writer(stream);
        const isOne = normalName(writer.name(one)) === normalName(writer.name(other));

        expect(isOne).toBe(meaningOf(one) === meaningOf(other));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['cn=a\\+b,dc=x', 'CN = A\\2Bb , DC=x', 'cn=a\\+b,dc=x'],
    ['cn=ann+uid=7,dc=x', 'UID=7 + CN=Ann,dc=x', 'cn=ann+uid=7,dc=x'],
    ['cn=J\\C3\\B6rg', 'cn=jörg', 'cn=jörg'],
    ['cn=a\\ff', 'cn=a\\FF', 'cn=a\\ff'],
    ['cn=a\\00', 'cn=A\\00', 'cn=a\\00'],
    ['', ' ', ''],
  ])('%s and %s', (one, other, normal) => {
    expect(normalName(one)).toBe(normal);
    expect(normalName(other)).toBe(normal);
  });

  it('determines whether a name is below another', () => {
    expect(isWithin('uid=a,dc=x', 'dc=x')).toBe(true);
    expect(isWithin('uid=a,adc=x', 'dc=x')).toBe(false);
    expect(isWithin('dc=x', '')).toBe(true);
    expect([isTopLevel('cn=none'), isTopLevel(''), isTopLevel('cn=a\\,b'), isTopLevel('cn=a,dc=x')]).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});
