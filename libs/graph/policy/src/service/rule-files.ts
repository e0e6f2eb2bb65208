import { join } from 'node:path';
import { type Disk, NodeDisk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import type { Log } from '#platform/observability';
import { parseRules } from '../rule/parse-rules.ts';
import { yamlSource } from '../rule/rule-source.ts';
import type { Rule } from '../rule/rule.ts';
import type { Policies } from './policies.ts';

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

/**
 * The rules of all YAML files of a directory, in the order of their names. All or nothing: POLICY_INVALID
 * names the first fault as `file:line:column`; INVALID_CONFIG says that the directory cannot be read.
 */
export async function readRuleFiles(
  directory: string,
  disk: Disk = new NodeDisk(),
): Promise<readonly Rule[]> {
  const files = await disk.list(directory).catch((cause: unknown) => {
    throw new DomainError('INVALID_CONFIG', `rules: cannot read the directory ${directory}`, { cause });
  });
  const rules: Rule[] = [];
  const fileOf = new Map<string, string>();
  for (const file of files.filter((name) => /\.ya?ml$/.test(name))) {
    const path = join(directory, file);
    const source = yamlSource(await disk.readText(path), path);
    for (const [index, rule] of parseRules(source).entries()) {
      const other = fileOf.get(rule.id);
      if (other !== undefined) {
        throw source.fault(['rules', index, 'id'], `duplicate id ${rule.id}, also in ${other}`);
      }
      fileOf.set(rule.id, path);
      rules.push(rule);
    }
  }
  return rules;
}
