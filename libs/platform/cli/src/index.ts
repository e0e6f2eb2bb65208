export { type CommandEntry, commandSettings, Output, type Program, runProgram } from './program.ts';
export { CommandFailure, EXIT, UsageError } from './failure.ts';
