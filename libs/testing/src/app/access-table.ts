import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { type AccessModel, isOpened, type Requirement, statedIn } from '#platform/auth';

/** A route of an application, and what its handler states. */
export interface StatedRoute {
  readonly method: string;
  readonly path: string;
  /** Undefined where the handler states nothing. */
  readonly requirement: Requirement | undefined;
  /** Whether the handler answers without a key. */
  readonly isPublic: boolean;
}

/** The routes of all controllers, sorted by path. */
export function routesOf(app: NestFastifyApplication): readonly StatedRoute[] {
  const types = [...app.get(ModulesContainer).values()].flatMap(({ controllers }) =>
    Array.from(controllers.values(), ({ metatype }) => metatype as Type),
  );
  const routes = types.flatMap(routesOfController);
  const unique = new Map(routes.map((route) => [`${route.path} ${route.method}`, route]));
  return [...unique.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, route]) => route);
}

function routesOfController(type: Type): readonly StatedRoute[] {
  const bases = textsOf(Reflect.getMetadata(PATH_METADATA, type));
  const handlers = Object.values(Object.getOwnPropertyDescriptors(type.prototype as object)).map(
    ({ value }) => value as unknown,
  );
  return handlers.flatMap((handler) => {
    if (typeof handler !== 'function') return [];
    const method: unknown = Reflect.getMetadata(METHOD_METADATA, handler);
    if (typeof method !== 'number') return [];
    const config: unknown = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler);
    return bases.flatMap((base) =>
      textsOf(Reflect.getMetadata(PATH_METADATA, handler)).map((path) => ({
        method: RequestMethod[method] ?? '',
        path: `/${[base, path].flatMap((part) => part.split('/').filter((step) => step !== '')).join('/')}`,
        requirement: statedIn(config),
        isPublic: isOpened(config),
      })),
    );
  });
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? (value as string[]) : [typeof value === 'string' ? value : ''];
}

/** The secret of each role's key in {@link keysOfRoles}. */
export function secretOf(role: string): string {
  return `plx_the-key-of-${role}`;
}

/** A keys file with a key for each role of the program, named by the role; further lines follow. */
export function keysOfRoles({ roles }: AccessModel, ...further: readonly string[]): string {
  return ['keys:', ...Object.keys(roles).map(keyLine), ...further, ''].join('\n');
}

/** The line of a role's key. */
export function keyLine(role: string): string {
  const sha256 = createHash('sha256').update(secretOf(role)).digest('hex');
  const source = role === 'collector' ? ', source: own' : '';
  return `  - { name: ${role}, role: ${role}, sha256: ${sha256}${source} }`;
}

/** One row: what is asked for, and the answer to each role. */
export interface AccessRow {
  readonly what: string;
  readonly cells: readonly string[];
}

/** A table in Markdown, aligned as the formatter aligns it. */
export function accessTable(columns: readonly string[], rows: readonly AccessRow[]): string {
  const cells = [columns, ...rows.map((row) => [row.what, ...row.cells])];
  const widths = columns.map((_, at) => Math.max(3, ...cells.map((row) => (row[at] ?? '').length)));
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, at) => (row[at] ?? '').padEnd(width)).join(' | ')} |`;
  const [head = [], ...body] = cells;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

/**
 * The page as it is, and as it is wanted with this text between the marks of a section. `UPDATE_GOLDEN=1`
 * writes the wanted one first.
 */
export async function pageWith(
  file: string,
  name: string,
  text: string,
): Promise<{ readonly page: string; readonly wanted: string }> {
  const page = await readFile(file, 'utf8');
  const section = new RegExp(`<!-- ${name} -->.*<!-- /${name} -->`, 's');
  const wanted = page.replace(section, () => `<!-- ${name} -->\n\n${text}\n\n<!-- /${name} -->`);
  if (process.env['UPDATE_GOLDEN'] !== '1') return { page, wanted };
  await writeFile(file, wanted);
  return { page: wanted, wanted };
}
