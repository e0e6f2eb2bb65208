import 'reflect-metadata';
import { runProgram } from '#cli';
import { edgeProgram } from './cli/program.ts';

process.exitCode = await runProgram(edgeProgram(), process.argv.slice(2));
