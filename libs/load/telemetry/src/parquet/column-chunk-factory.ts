import { FIXED_WIDTHS, isNumberKind, type ColumnSpec } from '../table/column-spec.ts';
import { AddressValues } from './address-values.ts';
import { BlobChunk } from './blob-chunk.ts';
import type { ChunkOptions, ColumnChunk } from './column-chunk.ts';
import { DictionaryChunk } from './dictionary-chunk.ts';
import { HashChunk } from './hash-chunk.ts';
import { NumberChunk } from './number-chunk.ts';
import { TextValues } from './text-values.ts';

/** What encodes a column of this kind. */
export function columnChunk(
  { kind, isNullable }: ColumnSpec,
  shape: Pick<ChunkOptions, 'compression' | 'pageRows'>,
): ColumnChunk {
  const options = { ...shape, isNullable };
  if (isNumberKind(kind)) return new NumberChunk(kind, options);
  if (kind === 'bytes32') return new HashChunk(options);
  if (kind === 'bytes') return new BlobChunk(options);
  if (kind === 'address') return new DictionaryChunk(new AddressValues(FIXED_WIDTHS.address), options);
  return new DictionaryChunk(new TextValues(), options);
}
