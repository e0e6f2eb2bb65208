export { constructed, type Token } from './constructed.ts';
export { NestLog } from './nest-log.ts';
export { ProgramSettings, settingsOf } from './program-settings.ts';
export type { Program } from './program.ts';
export { Uptime } from './uptime.ts';
