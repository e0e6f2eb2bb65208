import type { DocumentValue } from '../document/document-value.ts';

export type Labels = ReadonlyMap<string, string>;

/** Whether labels have all of these. */
export function matchesLabels(wanted: Labels, labels: Labels): boolean {
  return [...wanted].every(([name, value]) => labels.get(name) === value);
}

/** Whether labels match a selector with `matchLabels` and `matchExpressions`; an empty one matches all. */
export function matchesSelector(selector: DocumentValue, labels: Labels): boolean {
  if (!matchesLabels(selector.object('matchLabels').textFields(), labels)) return false;
  return selector.objects('matchExpressions').every((each) => {
    const value = labels.get(each.required('key'));
    const values = each.texts('values');
    switch (each.required('operator')) {
      case 'In':
        return value !== undefined && values.includes(value);
      case 'NotIn':
        return value === undefined || !values.includes(value);
      case 'Exists':
        return value !== undefined;
      case 'DoesNotExist':
        return value === undefined;
      default:
        throw each.fault('operator', 'expected In, NotIn, Exists or DoesNotExist');
    }
  });
}
