import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ldapBound, ldapEntry, ldapPageEnd } from '#graph/testing';
import { DomainError } from '#platform/foundation';
import { LdapMessages, ldapText, type LdapReply } from './ldap-message.ts';

const text = fc.string({ unit: 'binary', maxLength: 12 });
const attributes = fc.uniqueArray(fc.tuple(text, fc.array(text, { maxLength: 3 })), {
  selector: ([name]) => name.toLowerCase(),
  maxLength: 3,
});
const entry = fc.record({ dn: text, attributes });
const list = fc.array(entry, { maxLength: 4 });
type Given = readonly {
  readonly dn: string;
  readonly attributes: readonly (readonly [string, string[]])[];
}[];

/** A login and a page with these entries. */
function bytesOf(entries: Given): Buffer {
  const replies = entries.map(({ dn, attributes: given }) => ldapEntry(dn, Object.fromEntries(given)));
  return Buffer.concat([ldapBound(), ...replies, ldapPageEnd('more')].map((reply, at) => reply.encode(at)));
}

function replies(chunks: readonly Buffer[]): readonly LdapReply[] {
  const messages = new LdapMessages();
  return chunks.flatMap((chunk) => [...messages.read(chunk)]);
}

/** The bytes in pieces of these sizes, again and again. */
function cut(bytes: Buffer, sizes: readonly number[]): readonly Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += pieces.at(-1)?.length ?? 1) {
    pieces.push(bytes.subarray(at, at + (sizes[pieces.length % sizes.length] ?? 1)));
  }
  return pieces;
}

describe('messages of a directory server', () => {
  it('are the same however their bytes arrive', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(list, sizes, (entries, pieces) => {
        const bytes = bytesOf(entries);
        const whole = replies([bytes]);

        expect(replies(cut(bytes, pieces))).toEqual(whole);
        expect(whole.map(({ id }) => id)).toEqual(Array.from({ length: entries.length + 2 }, (_, at) => at));
        expect(whole.at(-1)?.result).toMatchObject({ code: 0, cookie: Buffer.from('more') });
      }),
    );
  });

  it('keep values apart that are not UTF-8', () => {
    const bytes = ldapEntry('cn=k#,dc=x', { uid: ['k#', 'jörg', String.raw`a\ff`] }).encode(1);
    const read = (odd: number): readonly unknown[] => {
      const [reply] = replies([Buffer.from(bytes.map((byte) => (byte === 0x23 ? odd : byte)))]);
      return [reply?.entry?.dn, ...(reply?.entry?.attributes.get('uid') ?? []).map(ldapText)];
    };

    expect(read(0xff)).toEqual([String.raw`cn=k\ff,dc=x`, String.raw`k\ff`, 'jörg', String.raw`a\ff`]);
    expect(read(0xfe)).toEqual([String.raw`cn=k\fe,dc=x`, String.raw`k\fe`, 'jörg', String.raw`a\ff`]);
  });

  it('are read to an end or rejected, whatever their bytes are', () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(list, changes, (entries, changed) => {
        const bytes = bytesOf(entries);
        for (const [at, byte] of changed) bytes[at % bytes.length] = byte;
        try {
          replies([bytes]);
        } catch (error) {
          expect(error).toBeInstanceOf(DomainError);
        }
      }),
    );
  });
});
