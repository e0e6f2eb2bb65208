import { join } from 'node:path';
import { type Disk, NodeDisk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { parseRules } from '../rule/parse-rules.ts';
import { yamlSource } from '../rule/rule-source.ts';
import type { Rule } from '../rule/rule.ts';

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
