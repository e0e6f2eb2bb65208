import type { Disk } from '#platform/disk';
import type { Log } from '#platform/observability';
import type { Policies } from './policies.ts';
import { readRuleFiles } from './read-rule-files.ts';

export interface RuleFilesOptions {
  /** Empty: there are none. */
  readonly directory: string;
  readonly disk: Disk;
  readonly policies: Policies;
  readonly log: Log;
}

/** The rules of the files, which are read at the start and again when somebody asks. */
export class RuleFiles {
  readonly #options: RuleFilesOptions;

  constructor(options: RuleFilesOptions) {
    this.#options = options;
  }

  /** POLICY_INVALID or RULE_FROM_FILE for files that cannot be taken, INVALID_CONFIG for no directory. */
  async read(): Promise<void> {
    const { directory, disk, policies, log } = this.#options;
    if (directory === '') return;
    const rules = await readRuleFiles(directory, disk);
    policies.rules.setFileRules(rules);
    log.info({ event: 'policy.rules_read', directory, rules: rules.length }, 'read rule files');
  }

  /** Reads them again. Faulty ones are logged, and the rules stay as they were. */
  async reload(): Promise<void> {
    try {
      await this.read();
    } catch (error) {
      this.#options.log.error({ event: 'policy.reload_failed', err: error }, 'kept the rules as they were');
    }
  }
}
