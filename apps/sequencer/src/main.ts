import { runProgram } from '#platform/cli';
import { sequencerProgram } from './cli/program.ts';

process.exitCode = await runProgram(sequencerProgram(), process.argv.slice(2));
