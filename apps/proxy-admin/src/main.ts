import 'reflect-metadata';
import { runProgram } from '#platform/cli';
import { proxyProgram } from './cli/program.ts';

process.exitCode = await runProgram(proxyProgram(), process.argv.slice(2));
