import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Put, Query } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { Graph } from '#graph/engine';
import { isJsonObject, type JsonObject } from '#graph/model';
import {
  type BookedRule,
  isMapped,
  jsonSource,
  parseRule,
  parseRules,
  Policies,
  type RatedRule,
  type RuleAnswers,
  type Rule,
  type RuleOrigin,
  type RuleSource,
  type RulesReply,
  yamlSource,
} from '#graph/policy';
import { type Caller, From, Requires } from '#platform/auth';
import { DomainError } from '#platform/foundation';
import { ApiErrors, ExactIntegers, TakesText, TextBody, YAML } from '#platform/http';
import { EXAMPLE_RULE, EXAMPLE_RULE_ID, RULES_BODY } from './policy-examples.ts';
import { RuleFilterDto, RuleModeDto } from './policy-query.dto.ts';
import { LOADED_EXAMPLE, RULE_EXAMPLE, RULE_LIST_EXAMPLE } from './policy-reply-examples.ts';
import { RuleDto, RuleListDto, RuleReplyDto, RuleSetDto, RulesReplyDto } from './rule.dto.ts';

/** A rule in replies. */
type RuleReply = RatedRule & { readonly origin: RuleOrigin };

const ID = { name: 'id', schema: { type: 'string', example: EXAMPLE_RULE_ID } } as const;

@ApiTags('policies')
@Controller('v1/policies')
export class PoliciesController {
  readonly #policies: Policies;
  readonly #graph: Graph;

  constructor(@Inject(Policies) policies: Policies, @Inject(Graph) graph: Graph) {
    this.#policies = policies;
    this.#graph = graph;
  }

  @Get()
  @Requires('read', { keepsScope: true })
  @ApiOperation({ operationId: 'listPolicies', summary: 'All rules, of files and of the API, by id' })
  @ApiOkResponse({ type: RuleListDto, example: RULE_LIST_EXAMPLE })
  @ApiErrors('INVALID_REQUEST')
  async list(
    @Query() filter: RuleFilterDto,
    @From() { scope }: Caller,
  ): Promise<{ readonly count: number; readonly rules: readonly RuleReply[] }> {
    const booked = this.#policies.rules.list().filter((each) => passesFilter(each, filter));
    return { count: booked.length, rules: await replies(this.#policies.within(scope), booked) };
  }

  @Post()
  @Requires('policies')
  @ExactIntegers()
  @HttpCode(200)
  @TakesText(YAML)
  @ApiOperation({
    operationId: 'replacePolicies',
    summary: 'Replaces the rules of the API, all or none; mode=merge adds to them',
  })
  @ApiConsumes('application/json', YAML)
  @ApiBody({ type: RuleSetDto, examples: { rules: { value: RULES_BODY } } })
  @ApiOkResponse({ type: RulesReplyDto, example: LOADED_EXAMPLE })
  @ApiErrors('INVALID_REQUEST', 'POLICY_INVALID', 'RULE_FROM_FILE', 'BODY_TOO_LARGE')
  @ApiErrors('UNSUPPORTED_MEDIA_TYPE', 'TOO_BUSY', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  replace(@Body() body: unknown, @Query() { mode = 'replace' }: RuleModeDto): Promise<RulesReply> {
    return this.#policies.rules.change(parseRulesBody(body), mode);
  }

  @Get(':id')
  @Requires('read', { keepsScope: true })
  @ApiOperation({ operationId: 'getPolicy', summary: 'One rule' })
  @ApiParam(ID)
  @ApiOkResponse({ type: RuleReplyDto, example: RULE_EXAMPLE })
  @ApiErrors('NOT_FOUND', 'STORE_UNAVAILABLE')
  async get(@Param('id') id: string, @From() { scope }: Caller): Promise<RuleReply | undefined> {
    const booked = await this.#graph.documents.found(() => this.#policies.rules.get(id));
    const [reply] = await replies(this.#policies.within(scope), [booked]);
    return reply;
  }

  @Put(':id')
  @Requires('policies')
  @ExactIntegers()
  @ApiOperation({
    operationId: 'putPolicy',
    summary: 'Adds or changes one rule of the API; its id may be left out of the body',
  })
  @ApiParam(ID)
  @ApiBody({ type: RuleDto, examples: { rule: { value: EXAMPLE_RULE } } })
  @ApiOkResponse({ type: RuleReplyDto, example: RULE_EXAMPLE })
  @ApiErrors('POLICY_INVALID', 'RULE_FROM_FILE', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  @ApiErrors('TOO_BUSY', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  async put(@Param('id') id: string, @Body() body: unknown): Promise<RuleReply | undefined> {
    const rule = parseRuleBody(id, body);
    await this.#policies.rules.change([rule], 'merge');
    const [reply] = await replies(this.#policies, [{ rule, origin: 'api' }]);
    return reply;
  }

  @Delete(':id')
  @Requires('policies')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'deletePolicy',
    summary: 'Removes a rule of the API, and what was remembered of its findings',
  })
  @ApiParam(ID)
  @ApiNoContentResponse()
  @ApiErrors('NOT_FOUND', 'RULE_FROM_FILE', 'TOO_BUSY', 'STORE_UNAVAILABLE', 'NO_DISK_SPACE')
  async delete(@Param('id') id: string): Promise<void> {
    await this.#policies.rules.remove(id);
  }
}

async function replies(answers: RuleAnswers, booked: readonly BookedRule[]): Promise<readonly RuleReply[]> {
  const rated = await answers.rated(booked.map(({ rule }) => rule));
  return booked.flatMap(({ origin }, at) => {
    const rule = rated[at];
    return rule === undefined ? [] : { ...rule, origin };
  });
}

function passesFilter({ rule, origin }: BookedRule, filter: RuleFilterDto): boolean {
  const { severity, framework, tag, enabled } = filter;
  return (
    (severity === undefined || rule.severity === severity) &&
    (framework === undefined || isMapped(rule, framework)) &&
    (tag === undefined || rule.tags.includes(tag)) &&
    (filter.origin === undefined || origin === filter.origin) &&
    (enabled === undefined || String(rule.enabled) === enabled)
  );
}

/** Parses the rules in a body, in the form of rule files. Throws POLICY_INVALID. */

/** Additional fields of replies; ignored, so that a shown rule can be sent back. */
const READ_ONLY_OF_SET = ['count'];

const READ_ONLY_OF_RULE = ['origin', 'last_run'];

/** A set of rules, as JSON or as the text of a rule file. */
function parseRulesBody(body: unknown): readonly Rule[] {
  return parseRules(
    withoutReadOnly(body instanceof TextBody ? yamlSource(body.text, 'body') : jsonSource(body)),
  );
}

/** One rule; its id is in the path and optionally in the body. */
function parseRuleBody(id: string, body: unknown): Rule {
  const rule = parseRule(jsonSource(isJsonObject(body) ? { id, ...without(body, READ_ONLY_OF_RULE) } : body));
  if (rule.id === id) return rule;
  throw new DomainError('POLICY_INVALID', `id: expected ${id}, as in the path`, { details: { field: 'id' } });
}

function withoutReadOnly(source: RuleSource): RuleSource {
  if (!isJsonObject(source.value)) return source;
  const { rules, ...set } = without(source.value, READ_ONLY_OF_SET);
  const kept = Array.isArray(rules) ? rules.map((rule) => without(rule, READ_ONLY_OF_RULE)) : rules;
  return { ...source, value: { ...set, ...(rules !== undefined && { rules: kept }) } };
}

function without(value: JsonObject, names: readonly string[]): JsonObject;

function without(value: unknown, names: readonly string[]): unknown;

function without(value: unknown, names: readonly string[]): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}
