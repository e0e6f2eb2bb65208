/** `pyproject.toml`: what a project is called, and what it depends on, as standards and Poetry write it. */
import { isJsonObject, type JsonObject } from '#graph/model';
import { textOr } from '../../../document/json-text.ts';
import { parseTomlText } from '../../../document/toml-text.ts';
import type { ReadBeside } from '../lock-bill.ts';
import { type Requirement, requirementIn, sameName } from './requirement.ts';

export interface Asked extends Requirement {
  readonly kind: 'prod' | 'dev' | 'optional';
}

export interface PythonProject {
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly asks: readonly Asked[];
}

/** Undefined without the file. Throws INVALID_REQUEST for other text. */
export async function readPythonProject(beside: ReadBeside): Promise<PythonProject | undefined> {
  const text = await beside('pyproject.toml');
  if (text === undefined) return undefined;
  const manifest = parseTomlText(text, 'a pyproject.toml');
  const project = tableIn(manifest, 'project');
  const poetry = tableIn(tableIn(manifest, 'tool'), 'poetry');
  const textOf = (field: string): string | undefined => textOr(project, field) ?? textOr(poetry, field);
  const asks = [...asksOfProject(project), ...asksOfGroups(manifest), ...asksOfPoetry(poetry)];
  return { name: textOf('name'), version: textOf('version'), asks };
}

function asksOfProject(project: JsonObject): readonly Asked[] {
  const extras = Object.values(tableIn(project, 'optional-dependencies'));
  return [...asksIn(project['dependencies'], 'prod'), ...extras.flatMap((list) => asksIn(list, 'optional'))];
}

/** Of the standard, and of PDM. */
function asksOfGroups(manifest: JsonObject): readonly Asked[] {
  const pdm = tableIn(tableIn(manifest, 'tool'), 'pdm');
  const groups = [tableIn(manifest, 'dependency-groups'), tableIn(pdm, 'dev-dependencies')];
  return groups.flatMap((each) => Object.values(each)).flatMap((list) => asksIn(list, 'dev'));
}

function asksIn(list: unknown, kind: Asked['kind']): readonly Asked[] {
  const texts = Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
  return texts.flatMap((text) => {
    const found = requirementIn(text);
    return found === undefined
      ? []
      : [{ ...found, isConditional: found.isConditional || kind === 'optional', kind }];
  });
}

function asksOfPoetry(poetry: JsonObject): readonly Asked[] {
  const groups = Object.entries(tableIn(poetry, 'group'));
  return [
    ...asksInTable(tableIn(poetry, 'dependencies'), 'prod'),
    ...asksInTable(tableIn(poetry, 'dev-dependencies'), 'dev'),
    ...groups.flatMap(([name, group]) =>
      asksInTable(
        tableIn(isJsonObject(group) ? group : {}, 'dependencies'),
        name === 'main' ? 'prod' : 'dev',
      ),
    ),
  ];
}

function asksInTable(table: JsonObject, kind: Asked['kind']): readonly Asked[] {
  return Object.entries(table)
    .filter(([name]) => sameName(name) !== 'python')
    .flatMap(([name, value]) =>
      requirementsOf(name, value).map(({ isOptional, ...each }) => ({
        ...each,
        kind: isOptional ? 'optional' : kind,
      })),
    );
}

/** What Poetry writes of one name: a range, a table, or a list of tables for different conditions. */
export function requirementsOf(
  name: string,
  value: unknown,
): readonly (Requirement & { readonly isOptional: boolean })[] {
  return [value].flat().flatMap((each: unknown) => {
    const table: JsonObject = isJsonObject(each) ? each : { version: each };
    const { version } = table;
    const range = typeof version === 'string' && version !== '*' ? version : '';
    const isOptional = table['optional'] === true;
    return [{ name, range, isOptional, isConditional: isOptional || table['markers'] !== undefined }];
  });
}

function tableIn(of: JsonObject, field: string): JsonObject {
  const value = of[field];
  return isJsonObject(value) ? value : {};
}
