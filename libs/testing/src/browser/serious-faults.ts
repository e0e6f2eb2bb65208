import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** Findings of axe that prevent users from using the page: rule and markup of each. */
export async function seriousFaults(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
