import { dirname, join } from 'node:path';
import type { EntityKey } from '#graph/model';
import { type Disk, DiskError } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { parseJsonObject, readJsonText } from '../document/json-text.ts';
import { parseBomLink } from './bom-link.ts';
import { readCycloneDx } from './cyclonedx.ts';

/**
 * The components that BOM-Links lead to, by link: those of the other CycloneDX bills in the folder of a bill.
 * A file there that is no bill leads nowhere.
 */
export async function linkedComponents(
  disk: Disk,
  file: string,
  references: readonly string[],
): Promise<ReadonlyMap<string, EntityKey>> {
  const links = references.flatMap((reference) => parseBomLink(reference) ?? []);
  const wanted = new Set(links.map(({ bill }) => bill));
  const found = new Map<string, EntityKey>();
  if (wanted.size === 0) return found;
  const folder = dirname(file);
  for (const name of (await disk.list(folder)).filter((each) => each.endsWith('.json')).sort()) {
    const { self, references: components } = await componentsOf(disk, join(folder, name), wanted);
    for (const { bill, reference, text } of links) {
      const component = bill === self ? components.get(reference) : undefined;
      if (component !== undefined) found.set(text, component);
    }
  }
  return found;
}

interface LinkedBill {
  readonly self: string | undefined;
  readonly references: ReadonlyMap<string, EntityKey>;
}

const NO_BILL: LinkedBill = { self: undefined, references: new Map() };

/** Only a file that mentions a wanted serial number is parsed. */
async function componentsOf(disk: Disk, path: string, wanted: ReadonlySet<string>): Promise<LinkedBill> {
  try {
    const text = await readJsonText(disk, path);
    const lower = text.toLowerCase();
    const serials = Array.from(wanted, (bill) => bill.slice(0, bill.indexOf('/')));
    if (!serials.some((serial) => lower.includes(serial))) return NO_BILL;
    const { self, references } = readCycloneDx(parseJsonObject(text, 'a bill'));
    return { self, references };
  } catch (error) {
    if (error instanceof DomainError || error instanceof DiskError) return NO_BILL;
    throw error;
  }
}
