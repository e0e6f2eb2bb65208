export { type CommandEntry, commandSettings, failureLine, type Program, runProgram } from './program.ts';
export { CommandFailure, EXIT, UsageError } from './failure.ts';
export { ServerClient } from './server-client.ts';
export { Output, visibleText } from './output.ts';
export { listOption } from './list-option.ts';
export { formatTable } from './table.ts';
export { readStandardInput, STANDARD_INPUT } from './standard-input.ts';
export { Progress, progressOption } from './progress.ts';
export { printWarning, type Style, styled } from './style.ts';
