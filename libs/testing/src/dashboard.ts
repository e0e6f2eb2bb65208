import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
}

const FOLDER = join(import.meta.dirname, '../../../docs/grafana');
/** Labels that Prometheus adds to each series. */
const ADDED = ['instance', 'job', 'le'];

/** Series and labels used by a dashboard of docs/grafana that are missing on these pages. */
export function missingOfDashboard(name: string, pages: readonly string[]): readonly string[] {
  const { panels } = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as Dashboard;
  const labels = labelsBySeries(pages.join('\n'));
  const targets = panels.flatMap(({ title, targets: all }) => all.map((target) => ({ title, ...target })));
  return targets.flatMap(({ title, expr, legendFormat }) => {
    const [series = 'none'] = /\bplexus_\w+/.exec(expr) ?? [];
    const known = labels.get(series);
    if (known === undefined) return [`${title}: ${series}`];
    const grouped = Array.from(expr.matchAll(/\bby \(([^)]*)\)/g), ([, names = '']) =>
      names.split(/,\s*/),
    ).flat();
    const chosen = Array.from(expr.matchAll(/(\w+)[=!]~?"/g), ([, label = '']) => label);
    const shown = Array.from(legendFormat.matchAll(/\{\{(\w+)\}\}/g), ([, label = '']) => label);
    const unknown = [...grouped, ...chosen, ...shown].filter(
      (label) => !known.has(label) && !ADDED.includes(label),
    );
    const ungrouped = shown.filter((label) => !grouped.includes(label));
    return [...unknown, ...ungrouped].map((label) => `${title}: ${series}{${label}}`);
  });
}

function labelsBySeries(page: string): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const [, series = '', labels = ''] of page.matchAll(/^(plexus_\w+)(?:\{(.*)\})? \S+$/gm)) {
    const names = found.get(series) ?? new Set();
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) names.add(label);
    found.set(series, names);
  }
  return found;
}
