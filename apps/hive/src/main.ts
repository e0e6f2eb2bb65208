import 'reflect-metadata';
import { runProgram } from '#platform/cli';
import { hiveProgram } from './cli/program.ts';

process.exitCode = await runProgram(hiveProgram(), process.argv.slice(2));
