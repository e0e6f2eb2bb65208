/**
 * The graph table: every engine in its own process, with the same queries, in turn, round by round. Answers
 * are compared with a plain computation before anything is timed.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Dataset } from './data/dataset.ts';
import { askOf } from './data/questions.ts';
import { ReferenceAnswers } from './graph/answers.ts';
import { GraphBench } from './graph/graph-bench.ts';
import { describeMachine, isInMemory, syncsPerSecond } from './harness/machine.ts';
import { readOptions } from './harness/options.ts';
import { renderTable } from './harness/table.ts';
import { TARGET_NAMES } from './targets/registry.ts';

const options = readOptions(process.argv.slice(2));
const data = new Dataset(options.entities, options.seed);
const questions = askOf(data, options.seed);
const names = TARGET_NAMES.filter((name) => options.targets.length === 0 || options.targets.includes(name));
const syncs = syncsPerSecond(options.directory);
const bench = new GraphBench({ options, questions, reference: new ReferenceAnswers(data, questions) });

const lines = await bench.run(names, (name) => join(options.directory, name));

console.log(`## Graph, ${options.entities.toLocaleString('en-US')} entities, ${data.links.count.toLocaleString('en-US')} relationships

${describeMachine()}. Seed ${options.seed}, medians of ${options.rounds} rounds of at least ${options.roundMs} ms, targets in turn.
At the start the disk synced 4 KiB ${Math.round(syncs).toLocaleString('en-US')} times a second.${isInMemory(options.directory) ? ' **It is memory: durable figures mean nothing here.**' : ''}
${bench.versions().join(', ')}.

${renderTable('plexus', bench.measured(), lines)}
`);
for (const fault of bench.faults) console.log(`- ${fault}`);
for (const name of names) rmSync(join(options.directory, name), { recursive: true, force: true });
process.exitCode = bench.faults.length === 0 ? 0 : 1;
