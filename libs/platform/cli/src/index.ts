export { commandSettings } from './command-settings.ts';
export { CommandFailure, EXIT, UsageError } from './failure.ts';
export { Output, visibleText } from './output.ts';
export { type CommandEntry, type Program, runProgram } from './program.ts';
