/** Statements of IAM policies, as far as they decide who can become whom. */
import { isJsonObject } from '#graph/model';
import { DocumentValue } from '../document/document-value.ts';
import { parseJson } from '../document/json-text.ts';

export interface Statement {
  readonly isAllow: boolean;
  readonly hasConditions: boolean;
  readonly value: DocumentValue;
}

/** Whether something is allowed: always, under conditions, or not. */
export type Verdict = 'allowed' | 'conditional' | 'denied';

/** The statements of a document, which is an object, or its text, as the service itself sends it. */
export function statementsOf(holder: DocumentValue, field: string): readonly Statement[] {
  if (!holder.has(field)) throw holder.fault(field, 'expected a policy, got nothing');
  const document = documentOf(holder, field);
  if (!document.has('Statement')) throw document.fault('Statement', 'expected statements, got nothing');
  const list = document.value['Statement'];
  const values = isJsonObject(list)
    ? [new DocumentValue(list, `${document.place}.Statement`)]
    : document.objects('Statement');
  return values.map((value) => ({
    isAllow: effectOf(value) === 'Allow',
    hasConditions: Object.keys(value.object('Condition').value).length > 0 || hasVariables(value),
    value,
  }));
}

/** `${aws:username}`: what it stands for depends on who asks. */
const VARIABLE = /\$\{[^}]*\}/g;

function hasVariables(value: DocumentValue): boolean {
  return ['Resource', 'NotResource'].some((field) =>
    textsOf(value, field).some((text) => text.search(VARIABLE) >= 0),
  );
}

function effectOf(statement: DocumentValue): string {
  const effect = statement.required('Effect');
  if (effect === 'Allow' || effect === 'Deny') return effect;
  throw statement.fault('Effect', `expected Allow or Deny, got ${effect.slice(0, 40)}`);
}

function documentOf(holder: DocumentValue, field: string): DocumentValue {
  const found = holder.value[field];
  if (typeof found !== 'string') return holder.object(field);
  const place = `${holder.place}.${field}`;
  const text = found.startsWith('%7B') ? decodeURIComponent(found) : found;
  return DocumentValue.of(parseJson(text, `a policy in ${place}`), place);
}

/** The texts of a field that may be one text or a list of them. */
export function textsOf(value: DocumentValue, field: string): readonly string[] {
  return typeof value.value[field] === 'string' ? [value.required(field)] : value.texts(field);
}

/** A statement that denies counts only if it has no condition: one that has may not apply. */
export function verdictOf(statements: readonly Statement[], action: string, resource: string): Verdict {
  const matching = statements.filter(({ value }) => isAbout(value, action, resource));
  if (matching.some(({ isAllow, hasConditions }) => !isAllow && !hasConditions)) return 'denied';
  const allowing = matching.filter(({ isAllow }) => isAllow);
  if (allowing.length === 0) return 'denied';
  const isSure = allowing.some(({ hasConditions }) => !hasConditions) && allowing.length === matching.length;
  return isSure ? 'allowed' : 'conditional';
}

/** Whether statements refuse what another policy allows: always (`denied`), under conditions, or not. */
export function refusalOf(statements: readonly Statement[], action: string, resource: string): Verdict {
  const refusing = statements.filter(({ isAllow, value }) => !isAllow && isAbout(value, action, resource));
  if (refusing.length === 0) return 'allowed';
  return refusing.some(({ hasConditions }) => !hasConditions) ? 'denied' : 'conditional';
}

function isAbout(value: DocumentValue, action: string, resource: string): boolean {
  // A trust policy has no resource: it is about its role.
  const hasResource = names(value, 'Resource', resource) ?? !(names(value, 'NotResource', resource) ?? false);
  return hasResource && isAboutAction(value, action);
}

export function isAboutAction(value: DocumentValue, action: string): boolean {
  return names(value, 'Action', action) ?? !(names(value, 'NotAction', action) ?? true);
}

/** Undefined without the field. A variable may stand for any text. */
function names(value: DocumentValue, field: string, text: string): boolean | undefined {
  if (!value.has(field)) return undefined;
  const ignoresCase = field.endsWith('Action');
  return textsOf(value, field).some((pattern) =>
    // What is left out is surely left out only if no variable decides.
    field === 'NotResource' && pattern.search(VARIABLE) >= 0
      ? false
      : matchesPattern(pattern.replaceAll(VARIABLE, '*'), text, ignoresCase),
  );
}

/** `*` stands for any text, `?` for any character. It takes at most the product of both lengths. */
export function matchesPattern(pattern: string, text: string, ignoresCase = false): boolean {
  const [wanted, given] = ignoresCase ? [pattern.toLowerCase(), text.toLowerCase()] : [pattern, text];
  let [at, star, mark] = [0, -1, 0];
  let position = 0;
  while (position < given.length) {
    if (wanted[at] === '*') {
      star = at++;
      mark = position;
    } else if (at < wanted.length && (wanted[at] === '?' || wanted[at] === given[position])) {
      at++;
      position++;
    } else if (star >= 0) {
      at = star + 1;
      position = ++mark;
    } else return false;
  }
  return /^\**$/.test(wanted.slice(at));
}

/** Whether a policy allows all actions on all resources. */
export function allowsEverything(statements: readonly Statement[]): boolean {
  return statements.some(
    ({ isAllow, hasConditions, value }) =>
      isAllow &&
      !hasConditions &&
      textsOf(value, 'Action').some((action) => /^\*+(?::\*+)?$/.test(action)) &&
      textsOf(value, 'Resource').some((resource) => /^\*+$/.test(resource)),
  );
}
