import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';

/** All rows of a file, as objects. */
export function parquetRows(file: ArrayBuffer): Promise<Record<string, unknown>[]> {
  return parquetReadObjects({ file, compressors });
}
