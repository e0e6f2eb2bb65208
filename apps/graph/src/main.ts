import 'reflect-metadata';
import { runProgram } from '#platform/cli';
import { graphProgram } from './cli/program.ts';

process.exitCode = await runProgram(graphProgram(), process.argv.slice(2));
