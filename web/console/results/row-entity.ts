import type { TableData } from '../../kit/table/table-data.ts';
import type { EntityDto, QueryReplyDto } from '../api/generated/types.gen.ts';

/** The entity of a cell or row of a result: a complete one in the cell, else that of the row. */
export function entityIdOf(
  pages: readonly QueryReplyDto[],
  table: TableData,
  row: readonly unknown[],
  column: number,
): string | undefined {
  const cell = row[column];
  if (isEntity(cell)) return cell.id;
  const typeColumn = table.columns.indexOf('type');
  const keyColumn = table.columns.indexOf('key');
  if (pages[0]?.rows !== undefined || typeColumn === -1 || keyColumn === -1) return undefined;
  const [type, key] = [row[typeColumn], row[keyColumn]];
  return entitiesOf(pages).find((entity) => entity.type === type && entity.key === key)?.id;
}

function isEntity(value: unknown): value is EntityDto {
  return typeof value === 'object' && value !== null && 'id' in value && 'display_name' in value;
}

function entitiesOf(pages: readonly QueryReplyDto[]): readonly EntityDto[] {
  return pages.flatMap((page) => page.entities);
}
