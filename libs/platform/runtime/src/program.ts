import type { Resources, StopSignal } from '#platform/foundation';
import type { Logger } from '#platform/observability';
import type { ProgramSettings } from './program-settings.ts';

/** What exists before the modules of an application. */
export interface Program {
  readonly logger: Logger;
  readonly resources: Resources;
  readonly stop: StopSignal;
  readonly settings: ProgramSettings;
}
