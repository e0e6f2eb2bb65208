import 'reflect-metadata';
import { runProgram } from '#platform/cli';
import { edgeProgram } from './cli/program.ts';

process.exitCode = await runProgram(edgeProgram(), process.argv.slice(2));
