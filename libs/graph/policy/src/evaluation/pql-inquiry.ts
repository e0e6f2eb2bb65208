import type { Warning } from '#graph/model';
import type { QueryResult } from '#graph/query';
import { compileException, compileQuery, type RuleQuery } from '../rule/rule-query.ts';
import type { RuleException } from '../rule/rule.ts';
import { type Results, resultsOf } from './results.ts';
import type { Found, InquiryGround, RuleInquiry } from './rule-inquiry.ts';

/** A rule with `query`. */
export class PqlInquiry implements RuleInquiry {
  readonly #ground: InquiryGround;
  readonly #text: string;
  readonly #query: RuleQuery;

  constructor(ground: InquiryGround) {
    this.#ground = ground;
    this.#text = ground.task.rule.query ?? '';
    this.#query = compileQuery(this.#text);
  }

  find(): Found {
    const { task, reader } = this.#ground;
    const result = this.#run(this.#query);
    const { warnings } = result;
    return { results: resultsOf(task.rule, this.#query.shape, reader, result), warnings };
  }

  countOf(population: string): number {
    return this.#run(compileQuery(population)).count;
  }

  *matching({ match }: RuleException, results: Results): Iterable<number> {
    const { task, reader } = this.#ground;
    const shape = this.#query.shape === 'groups' ? 'groups' : 'entities';
    const matching = resultsOf(task.rule, shape, reader, this.#run(compileException(this.#text, match)));
    const tokens = new Set(Array.from({ length: matching.count }, (_, index) => matching.tokenOf(index)));
    for (let index = 0; index < results.count; index++) {
      if (tokens.has(results.tokenOf(index))) yield index;
    }
  }

  missing(): readonly Warning[] {
    return this.#missingWords(this.#query);
  }

  missingIn({ match }: RuleException): readonly Warning[] {
    const queries = [match, `NOT (${match})`].map((text) => compileException(this.#text, text));
    return queries.flatMap((query) => this.#missingWords(query));
  }

  #missingWords({ pql }: RuleQuery): readonly Warning[] {
    const { engine, reader, task } = this.#ground;
    return engine.missingWords(reader, pql, task.rule.may_be_absent);
  }

  #run({ pql, statesDepth }: RuleQuery): QueryResult {
    const { engine, reader, params, leftMs, warn, cutBy } = this.#ground;
    const result = engine.runSync(reader, pql, { params, timeoutMs: leftMs() });
    const { warnings } = result;
    warn(statesDepth ? warnings.filter(({ code }) => code !== 'DEPTH_LIMIT') : warnings);
    if (!statesDepth) cutBy(warnings.find(({ code }) => code === 'DEPTH_LIMIT'));
    return result;
  }
}
