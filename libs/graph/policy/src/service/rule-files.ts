import { join } from 'node:path';
import type { YamlPlace } from '#platform/config';
import { type Disk, filesAndLinks } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import type { Log } from '#platform/observability';
import { parseRules } from '../rule/parse-rules.ts';
import { yamlSource } from '../rule/rule-source.ts';
import type { Rule } from '../rule/rule.ts';
import type { Policies } from './policies.ts';
import type { PolicySettings } from './policy-settings.ts';

/** The rules of the files, which are read at start and on reload. */
export class RuleFiles {
  readonly #policies: Policies;
  readonly #disk: Disk;
  /** Directory of the rule files; empty if there are none. */
  readonly #directory: string;
  readonly #log: Log;

  constructor(policies: Policies, disk: Disk, { rules }: PolicySettings, log: Log) {
    this.#policies = policies;
    this.#disk = disk;
    this.#directory = rules;
    this.#log = log;
  }

  /**
   * Throws POLICY_INVALID or RULE_FROM_FILE for invalid files, INVALID_CONFIG for an unreadable directory.
   */
  async read(): Promise<void> {
    const directory = this.#directory;
    if (directory === '') return;
    const rules = await readRuleFiles(directory, this.#disk);
    this.#policies.rules.setFileRules(rules);
    this.#log.info({ event: 'policy.rules_read', directory, rules: rules.length }, 'rule files read');
  }

  /** Reads the files again. Errors are logged, and the rules stay unchanged. */
  async reload(): Promise<void> {
    try {
      await this.read();
    } catch (error) {
      this.#log.error(
        { event: 'policy.reload_failed', err: error },
        'reload of the rule files failed: rules unchanged',
      );
    }
  }
}

/** A rule of a file, and the position of its id there. */
export interface PlacedRule {
  readonly rule: Rule;
  readonly file: string;
  readonly place: YamlPlace;
}

/** The rules of {@link readPlacedRules}. */
export async function readRuleFiles(directory: string, disk: Disk): Promise<readonly Rule[]> {
  return (await readPlacedRules(directory, disk)).map(({ rule }) => rule);
}

/**
 * The rules of all YAML files of a directory, in the order of file names. All or nothing: POLICY_INVALID
 * reports the first error as `file:line:column`; INVALID_CONFIG reports an unreadable directory.
 */
export async function readPlacedRules(directory: string, disk: Disk): Promise<readonly PlacedRule[]> {
  const files = await filesAndLinks(disk, directory).catch((cause: unknown) => {
    throw new DomainError('INVALID_CONFIG', `rules: cannot read the directory ${directory}`, { cause });
  });
  const rules: PlacedRule[] = [];
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
      rules.push({ rule, file: path, place: source.placeOf(['rules', index, 'id']) });
    }
  }
  return rules;
}
