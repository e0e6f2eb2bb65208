import { describe, expect, it } from '@jest/globals';
import { MetricsPage } from './metrics-page.ts';

const HEAD = '# HELP a_total text\n# TYPE a_total counter\n';
const HISTOGRAM = '# HELP h text\n# TYPE h histogram\n';

describe('MetricsPage', () => {
  it('reads families, labels with escapes, and numbers', () => {
    const page = new MetricsPage(
      `${HEAD}a_total{x="1,\\"}\\n\\\\",y=""} 1.5e+21\n\n# HELP g t\n# TYPE g gauge\ng -Inf\n`,
    );

    expect(page.samples('a_total')).toEqual([
      { name: 'a_total', labels: { x: '1,"}\n\\', y: '' }, value: 1.5e21 },
    ]);
    expect(page.value('g')).toBe(-Infinity);
  });

  it.each([
    ['no line feed at its end', `${HEAD}a_total 1`],
    ['a sample before its family', 'a_total 1\n'],
    ['a TYPE without HELP', '# TYPE a_total counter\na_total 1\n'],
    ['HELP and TYPE of two names', '# HELP b t\n# TYPE a_total counter\na_total 1\n'],
    ['a HELP without text', '# HELP a_total \n# TYPE a_total counter\n'],
    ['an unknown type', '# HELP a_total t\n# TYPE a_total count\n'],
    ['a family twice', `${HEAD}a_total 1\n${HEAD}`],
    ['a sample twice', `${HEAD}a_total{x="1"} 1\na_total{x="1"} 2\n`],
    ['a label twice', `${HEAD}a_total{x="1",x="2"} 1\n`],
    ['an unknown escape', `${HEAD}a_total{x="\\t"} 1\n`],
    ['an open quote', `${HEAD}a_total{x="1} 1\n`],
    ['a bad name', `${HEAD}a-total 1\n`],
    ['a sample of another family', `${HEAD}b_total 1\n`],
    ['no number', `${HEAD}a_total x\n`],
    ['an infinity of another language', `${HEAD}a_total Infinity\n`],
    ['a falling counter', `${HEAD}a_total -1\n`],
    ['a counter that is not a number', `${HEAD}a_total NaN\n`],
    ['a histogram without +Inf', `${HISTOGRAM}h_bucket{le="1"} 1\nh_sum 1\nh_count 1\n`],
    ['a histogram that falls', `${HISTOGRAM}h_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n`],
    ['a histogram with another count', `${HISTOGRAM}h_bucket{le="+Inf"} 1\nh_sum 1\nh_count 2\n`],
    ['a histogram without a sum', `${HISTOGRAM}h_bucket{le="+Inf"} 1\nh_count 1\n`],
  ])('rejects %s', (_, text) => {
    expect(() => new MetricsPage(text)).toThrow();
  });
});
