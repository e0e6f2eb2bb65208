import { DomainError, Turns } from '#platform/foundation';
import { boundParameters } from '../evaluation/parameters.ts';
import { parseRule } from '../rule/parse-rules.ts';
import { RULES_MAX } from '../rule/rule-shape.ts';
import { jsonSource } from '../rule/rule-source.ts';
import { ALL_FRAMEWORKS, type Rule, SEVERITIES } from '../rule/rule.ts';
import type { EvaluationRequest } from './evaluation.ts';
import {
  FINDINGS_PREFIX,
  LAST_RUN_PREFIX,
  NAMESPACE,
  type PolicyDocument,
  type PolicyDocuments,
  type PolicyLog,
  RULE_PREFIX,
} from './policy-ports.ts';

export type RuleOrigin = 'file' | 'api';

export interface BookedRule {
  readonly rule: Rule;
  readonly origin: RuleOrigin;
}

/** The result of replacing or merging rules. */
export interface RulesReply {
  /** Number of rules of the API after the change. */
  readonly loaded: number;
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
}

const WRITERS_MAX = 64;

/**
 * The rules of both origins, by id. Rules of the API are stored; a change is one atomic batch, visible once
 * it is durable. An id has one origin: a change that would give it two throws RULE_FROM_FILE.
 */
export class RuleBook {
  readonly #documents: PolicyDocuments;
  readonly #onChange: (removed: readonly string[]) => void;
  readonly #forgottenWith: (ruleId: string) => readonly PolicyDocument[];
  readonly #turns = new Turns(WRITERS_MAX);
  #fromFiles: ReadonlyMap<string, Rule> = new Map();
  #fromApi: ReadonlyMap<string, Rule> = new Map();

  /** `forgottenWith`: further documents that are removed with a rule. */
  constructor(
    documents: PolicyDocuments,
    onChange: (removed: readonly string[]) => void,
    forgottenWith: (ruleId: string) => readonly PolicyDocument[] = () => [],
  ) {
    this.#documents = documents;
    this.#onChange = onChange;
    this.#forgottenWith = forgottenWith;
  }

  /** Loads the stored rules; a rule that this version cannot read is left out and logged. */
  async load(log: PolicyLog): Promise<void> {
    const rules = new Map<string, Rule>();
    for await (const { id, value } of this.#documents.all(NAMESPACE, RULE_PREFIX)) {
      try {
        const rule = parseRule(jsonSource(value));
        rules.set(rule.id, rule);
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        log.error({ event: 'policy.rule_unreadable', id, err: error }, 'unreadable stored rule left out');
      }
    }
    this.#fromApi = rules;
  }

  /** All rules in the order of their ids. */
  list(): readonly BookedRule[] {
    return [
      ...Array.from(this.#fromFiles.values(), (rule) => ({ rule, origin: 'file' as const })),
      ...Array.from(this.#fromApi.values(), (rule) => ({ rule, origin: 'api' as const })),
    ].sort((a, b) => (a.rule.id < b.rule.id ? -1 : 1));
  }

  find(id: string): BookedRule | undefined {
    const ofFile = this.#fromFiles.get(id);
    if (ofFile !== undefined) return { rule: ofFile, origin: 'file' };
    const rule = this.#fromApi.get(id);
    return rule && { rule, origin: 'api' };
  }

  get(id: string): BookedRule {
    const found = this.find(id);
    if (found === undefined) throw new DomainError('NOT_FOUND', 'no such rule', { details: { id } });
    return found;
  }

  /** Replaces the rules from files. Throws RULE_FROM_FILE, without any change. */
  setFileRules(rules: readonly Rule[]): void {
    const clash = rules.find(({ id }) => this.#fromApi.has(id));
    if (clash !== undefined)
      throw clashOf(clash.id, 'has also come through the API: delete it there, or rename one');
    this.#fromFiles = new Map(rules.map((rule) => [rule.id, rule]));
    this.#onChange([]);
  }

  /** Replaces or merges the rules of the API; unchanged rules are not counted as updated. */
  change(rules: readonly Rule[], mode: 'replace' | 'merge'): Promise<RulesReply> {
    return this.#alone(async () => {
      this.#refuseFileIds(rules.map(({ id }) => id));
      const next = new Map(mode === 'merge' ? this.#fromApi : []);
      for (const rule of rules) next.set(rule.id, rule);
      if (next.size > RULES_MAX)
        throw new DomainError('POLICY_INVALID', `expected at most ${RULES_MAX} rules`);
      return this.#become(next);
    });
  }

  remove(id: string): Promise<RulesReply> {
    return this.#alone(async () => {
      this.#refuseFileIds([id]);
      this.get(id);
      const next = new Map(this.#fromApi);
      next.delete(id);
      return this.#become(next);
    });
  }

  #alone(work: () => Promise<RulesReply>): Promise<RulesReply> {
    return this.#turns.run(() => this.#documents.exclusively(work));
  }

  async #become(next: ReadonlyMap<string, Rule>): Promise<RulesReply> {
    const before = this.#fromApi;
    const added = [...next.values()].filter(({ id }) => !before.has(id));
    const updated = [...next.values()].filter((rule) => isChanged(before.get(rule.id), rule));
    const removed = [...before.keys()].filter((id) => !next.has(id));
    const changes = [
      ...[...added, ...updated].map(storedRule),
      ...removed.flatMap((id) => [...forgotten(id), ...this.#forgottenWith(id)]),
    ];
    if (changes.length > 0) await this.#documents.change(NAMESPACE, changes);
    this.#fromApi = next;
    this.#onChange(removed);
    return { loaded: next.size, added: added.length, updated: updated.length, removed: removed.length };
  }

  #refuseFileIds(ids: readonly string[]): void {
    const taken = ids.find((id) => this.#fromFiles.has(id));
    if (taken !== undefined) throw clashOf(taken, 'comes from a rule file: change it there');
  }
}

function clashOf(id: string, message: string): DomainError {
  return new DomainError('RULE_FROM_FILE', `rule ${id} ${message}`, { details: { id } });
}

function isChanged(before: Rule | undefined, after: Rule): boolean {
  return before !== undefined && JSON.stringify(before) !== JSON.stringify(after);
}

function storedRule(rule: Rule): PolicyDocument {
  return { id: RULE_PREFIX + rule.id, value: rule };
}

/** Removes a rule with its findings and its last run. */
function forgotten(id: string): PolicyDocument[] {
  return [RULE_PREFIX, FINDINGS_PREFIX, LAST_RUN_PREFIX].map((prefix) => ({
    id: prefix + id,
    value: undefined,
  }));
}

/** The rules selected by a request. INVALID_REQUEST for an id, framework or parameter that no rule has. */
export function selectRules(rules: readonly Rule[], request: EvaluationRequest): readonly Rule[] {
  const { ruleIds, frameworks, severityMin = 'info', params = {} } = request;
  const unknown = ruleIds?.find((id) => !rules.some((rule) => rule.id === id));
  if (unknown !== undefined) throw refusal('rule_ids', `no rule ${unknown}`);
  const unmapped = frameworks?.find((framework) => !rules.some((rule) => isMapped(rule, framework)));
  if (unmapped !== undefined) throw refusal('frameworks', `no rule is mapped to ${unmapped}`);
  const rank = SEVERITIES.indexOf(severityMin);
  const selected = rules.filter(
    (rule) =>
      (ruleIds === undefined || ruleIds.includes(rule.id)) &&
      (frameworks === undefined || frameworks.some((framework) => isMapped(rule, framework))) &&
      SEVERITIES.indexOf(rule.severity) <= rank,
  );
  for (const rule of selected) boundParameters(rule, params);
  const idle = Object.keys(params).find(
    (name) => !selected.some(({ parameters }) => Object.hasOwn(parameters, name)),
  );
  if (idle !== undefined) throw refusal(`params.${idle}`, 'no selected rule has this parameter');
  return selected;
}

/** Whether the rule is mapped to a control of the framework; every rule is one of `all`. */
export function isMapped({ frameworks }: Rule, framework: string): boolean {
  if (framework === ALL_FRAMEWORKS) return true;
  return frameworks.some((control) => control.framework === framework);
}

function refusal(field: string, message: string): DomainError {
  return new DomainError('INVALID_REQUEST', `${field}: ${message}`, { details: { field } });
}
