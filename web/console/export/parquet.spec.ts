import { describe, expect, it } from '@jest/globals';
import { DuckDBInstance } from '@duckdb/node-api';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetOf } from './parquet.ts';

describe('Parquet', () => {
  it('is read by DuckDB with its types, names and nulls', async () => {
    const columns = ['name', 'cpu', 'load', 'up', 'tags', 'name', 'mixed', 'nothing'];
    const rows = [
      ['wéb-01', 8, 0.5, true, ['a', 'b'], 'x', 1, null],
      [null, null, 2, null, null, null, 'two', null],
      ['', -1, null, false, [], 'y', true, null],
    ];
    const folder = await mkdtemp(join(tmpdir(), 'plexus-parquet-'));
    const file = join(folder, 'table.parquet');
    await writeFile(file, Buffer.from(parquetOf({ columns, rows })));

    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    const reader = await connection.runAndReadAll(`SELECT * FROM '${file}'`);

    const types = reader.columnTypes().map(String);
    const found = reader.getRowsJson();
    connection.closeSync();
    instance.closeSync();
    await rm(folder, { recursive: true });
    expect(reader.columnNames()).toEqual(['name', 'cpu', 'load', 'up', 'tags', 'name_2', 'mixed', 'nothing']);
    expect(types).toEqual([
      'VARCHAR',
      'BIGINT',
      'DOUBLE',
      'BOOLEAN',
      'VARCHAR',
      'VARCHAR',
      'VARCHAR',
      'VARCHAR',
    ]);
    expect(found).toEqual([
      ['wéb-01', '8', 0.5, true, '["a","b"]', 'x', '1', null],
      [null, null, 2, null, null, null, 'two', null],
      ['', '-1', null, false, '[]', 'y', 'true', null],
    ]);
  });
});
