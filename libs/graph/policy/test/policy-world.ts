/** Policies over a small graph in memory, with a clock that tests set. */
import { ChangeLog } from '#graph/memory';
import { FIXTURE, type GraphData, MemoryDocuments, NaiveReader } from '#graph/testing';
import { evaluateRule } from '../src/evaluation/evaluate-rule.ts';
import { parseRules } from '../src/rule/parse-rules.ts';
import { createRuleEngine } from '../src/rule/rule-query.ts';
import { jsonSource } from '../src/rule/rule-source.ts';
import type { Rule } from '../src/rule/rule.ts';
import { Policies } from '../src/service/policies.ts';
import type { SharedGraph } from '../src/service/policy-ports.ts';

export const START_MS = Date.UTC(2026, 5, 1);

export class PolicyWorld {
  readonly documents = new MemoryDocuments();
  /** The rule id of each new finding. */
  readonly opened: string[] = [];
  /** The finding ids of the news. */
  readonly openedIds: string[] = [];
  readonly resolvedIds: string[] = [];
  /** The id of each rule with a new error. */
  readonly errors: string[] = [];
  nowMs = START_MS;
  data: GraphData = FIXTURE;
  snapshotVersion = 7;

  get changedVersion(): number {
    return this.snapshotVersion;
  }

  /** A new change log on each access, as if everything had changed. */
  get changes(): ChangeLog {
    return new ChangeLog();
  }

  snapshot(): SharedGraph {
    const reader = new NaiveReader(this.data);
    return { snapshotVersion: this.snapshotVersion, share: () => reader, release: () => undefined };
  }

  async open(): Promise<Policies> {
    const policies = await Policies.open({
      documents: this.documents,
      graph: this,
      evaluator: {
        run: async (tasks, shared) =>
          tasks.map((task) => evaluateRule(createRuleEngine(), shared as NaiveReader, task)),
      },
      clock: { nowMs: () => this.nowMs, monotonicMs: () => performance.now() },
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    });
    policies.onEvaluation({
      evaluated: ({ rules }) => {
        this.errors.push(...rules.flatMap(({ rule, error }) => (error === null ? [] : [rule.id])));
        for (const { opened, resolved } of rules) {
          this.openedIds.push(...opened.map(({ finding_id: id }) => id));
          this.resolvedIds.push(...resolved.map(({ finding_id: id }) => id));
        }
        this.opened.push(...rules.flatMap(({ rule, opened }) => opened.map(() => rule.id)));
        return { documents: [], keep: () => undefined };
      },
    });
    return policies;
  }

  without(key: string): void {
    const { entities, relationships } = FIXTURE;
    this.data = {
      entities: entities.filter((item) => item.key !== key),
      relationships: relationships.filter(({ from, to }) => from.key !== key && to.key !== key),
    };
  }
}

export function rulesOf(...rules: object[]): Rule[] {
  return parseRules(jsonSource({ rules }));
}
