/** What a node of a shared store takes, by the number of records: memory, disk, and time to start. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { RemoteProcess } from '../harness/child-process.ts';
import type { NodeCost, WritingNodeProtocol } from './writing-node-protocol.ts';

const RECORDS = [100_000, 1_000_000];
const MB = 1e6;
/** Of `stat`. */
const BLOCK_BYTES = 512;
const PROGRAM = new URL('./writing-node.ts', import.meta.url);

type WritingNode = RemoteProcess<WritingNodeProtocol>;

export interface SizeOptions {
  /** Of the database. */
  readonly port: number;
  readonly directory: string;
  readonly seed: number;
}

/** A Markdown table: a row for each number of records. */
export async function nodeSizes(options: SizeOptions): Promise<string> {
  const rows = [
    '| records | memory of a node | disk of its copy | disk of the database | start, with a copy | start, without |',
    '| --- | --- | --- | --- | --- | --- |',
  ];
  for (const records of RECORDS) rows.push(await measured(options, records));
  return rows.join('\n');
}

async function measured({ port, directory, seed }: SizeOptions, records: number): Promise<string> {
  const url = `postgres://postgres:bench@127.0.0.1:${String(port)}/postgres`;
  const schema = `size_${String(records)}`;
  const copyOf = (name: string): string => join(directory, schema, name);
  const started = async (name: string): Promise<{ readonly node: WritingNode; readonly cost: NodeCost }> => {
    const node: WritingNode = new RemoteProcess(PROGRAM);
    return { node, cost: await node.call('open', { name, url, schema, directory: copyOf(name) }) };
  };
  const first = await started('first');
  await first.node.call('load', { records, seed });
  await closed(first.node);
  const again = await started('first');
  await closed(again.node);
  const late = await started('late');
  await closed(late.node);
  const cells = [
    records.toLocaleString('en'),
    megabytes(again.cost.memoryMb * MB),
    megabytes(bytesIn(copyOf('first'))),
    megabytes(await bytesOfSchema(url, schema)),
    seconds(again.cost.startMs),
    seconds(late.cost.startMs),
  ];
  return `| ${cells.join(' | ')} |`;
}

async function bytesOfSchema(url: string, schema: string): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  const text = `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
    WHERE relkind = 'r' AND relnamespace = $1::regnamespace`;
  const { rows } = await client.query<{ readonly bytes: string }>(text, [schema]);
  await client.end();
  return Number(rows[0]?.bytes);
}

function bytesIn(directory: string): number {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((each) => each.isFile());
  return files.reduce(
    (sum, { parentPath, name }) => sum + BLOCK_BYTES * statSync(join(parentPath, name)).blocks,
    0,
  );
}

function megabytes(bytes: number): string {
  return `${(bytes / MB).toFixed(0)} MB`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

async function closed(node: WritingNode): Promise<void> {
  await node.call('close', undefined);
  await node.end();
}
