import { describe, expect, it } from '@jest/globals';
import { pagesIn } from '../../test/column-pages.ts';
import type { TextColumn } from '../table/table-batch.ts';
import { ENCODING } from './chunk-pages.ts';
import { DictionaryChunk } from './dictionary-chunk.ts';
import { TextValues } from './value-dictionary.ts';

const PAGE_ROWS = 30;
const OPTIONS = { isNullable: true, compression: 'none', pageRows: PAGE_ROWS } as const;

/** A page with cyclically repeated texts. */
function textsOf(different: number, prefix = 'v'): TextColumn {
  const texts = Array.from({ length: different }, (_, at) => `${prefix}${at}`);
  return { form: 'text', texts, codes: Int32Array.from({ length: PAGE_ROWS }, (_, at) => at % different) };
}

const NOTHING: TextColumn = { form: 'text', texts: [], codes: new Int32Array(PAGE_ROWS).fill(-1) };

/** The encodings of a row group's data pages, preceded by `D` if it has a dictionary. */
function encodingsOf(chunk: DictionaryChunk, pages: readonly TextColumn[]): readonly (number | 'D')[] {
  return pagesIn(chunk, pages).map(({ isDictionary, encoding }) => (isDictionary ? 'D' : encoding));
}

describe('DictionaryChunk with texts', () => {
  const { plain, dictionary } = ENCODING;
  const chunk = () => new DictionaryChunk(new TextValues(), OPTIONS);

  it('uses one dictionary for all pages if values repeat', () => {
    expect(encodingsOf(chunk(), [textsOf(20), textsOf(20), textsOf(20, 'w')])).toEqual([
      'D',
      dictionary,
      dictionary,
      dictionary,
    ]);
  });

  it('writes plain pages if the values of the first page hardly repeat', () => {
    expect(encodingsOf(chunk(), [textsOf(21), textsOf(1)])).toEqual([plain, plain]);
  });

  it('decides by the first page that has values', () => {
    expect(encodingsOf(chunk(), [NOTHING, textsOf(21), textsOf(1)])).toEqual([plain, plain, plain]);
    expect(encodingsOf(chunk(), [NOTHING, textsOf(2), NOTHING, textsOf(30)])).toEqual([
      'D',
      plain,
      dictionary,
      plain,
      dictionary,
    ]);
  });

  it('decides again in each row group', () => {
    const one = chunk();

    expect(encodingsOf(one, [textsOf(21)])).toEqual([plain]);
    expect(encodingsOf(one, [textsOf(2), textsOf(2)])).toEqual(['D', dictionary, dictionary]);
    expect(encodingsOf(one, [textsOf(21), textsOf(2)])).toEqual([plain, plain]);
    expect(encodingsOf(one, [NOTHING])).toEqual([plain]);
  });

  it('reports the bytes of the values that are new in the page as pending', () => {
    const one = chunk();
    one.append(textsOf(2), 0, PAGE_ROWS);
    const first = one.pendingBytes;
    one.endPage();
    const ended = one.pendingBytes;
    one.append(textsOf(2), 0, PAGE_ROWS);

    expect([first, ended, one.pendingBytes]).toEqual([2 * (4 + 'v0'.length), 0, 0]);
  });
});
