import 'reflect-metadata';
import { runProgram } from '#platform/cli';
import { graphProgram } from './cli/program.ts';

/** Time for output on its way. */
const LEFT_BEHIND_MS = 1_000;

process.exitCode = await runProgram(graphProgram(), process.argv.slice(2));
// All that is ours is closed: what is left, such as a timer of a connector module, does not keep the process.
setTimeout(() => process.exit(), LEFT_BEHIND_MS).unref();
