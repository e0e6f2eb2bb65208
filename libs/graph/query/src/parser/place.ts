/** Where a condition stands: WHERE takes fields as values, HAVING takes aggregates. */
export type Place = 'with' | 'where' | 'having';
