/** What SHOW can list, and the columns of each: those without YIELD, and the ones that YIELD may name too. */

export interface Showable {
  /** Name of the procedure that lists it. */
  readonly procedure: string;
  readonly columns: readonly string[];
  readonly further: readonly string[];
}

export const SHOWABLES = {
  indexes: {
    procedure: 'show indexes',
    columns: [
      'id',
      'name',
      'state',
      'populationPercent',
      'type',
      'entityType',
      'labelsOrTypes',
      'properties',
      'indexProvider',
      'owningConstraint',
      'lastRead',
      'readCount',
    ],
    further: ['trackedSince', 'options', 'failureMessage', 'createStatement'],
  },
  constraints: {
    procedure: 'show constraints',
    columns: [
      'id',
      'name',
      'type',
      'entityType',
      'labelsOrTypes',
      'properties',
      'ownedIndex',
      'propertyType',
    ],
    further: ['options', 'createStatement'],
  },
  procedures: {
    procedure: 'show procedures',
    columns: ['name', 'description', 'mode', 'worksOnSystem'],
    further: ['signature', 'isDeprecated'],
  },
  functions: {
    procedure: 'show functions',
    columns: ['name', 'category', 'description'],
    further: ['signature', 'isBuiltIn', 'aggregating', 'isDeprecated'],
  },
  databases: {
    procedure: 'show databases',
    columns: [
      'name',
      'type',
      'aliases',
      'access',
      'address',
      'role',
      'writer',
      'requestedStatus',
      'currentStatus',
      'statusMessage',
      'default',
      'home',
      'constituents',
    ],
    further: [],
  },
} as const satisfies Readonly<Record<string, Showable>>;

/** What can be shown by the words after SHOW, in upper case; the longest first. */
export const SHOW_PHRASES: readonly (readonly [words: readonly string[], Showable])[] = [
  [['BUILT', 'IN', 'FUNCTIONS'], SHOWABLES.functions],
  [['BUILT', 'IN', 'FUNCTION'], SHOWABLES.functions],
  [['DEFAULT', 'DATABASE'], SHOWABLES.databases],
  [['HOME', 'DATABASE'], SHOWABLES.databases],
  [['ALL', 'INDEXES'], SHOWABLES.indexes],
  [['ALL', 'CONSTRAINTS'], SHOWABLES.constraints],
  [['ALL', 'FUNCTIONS'], SHOWABLES.functions],
  [['INDEXES'], SHOWABLES.indexes],
  [['INDEX'], SHOWABLES.indexes],
  [['CONSTRAINTS'], SHOWABLES.constraints],
  [['CONSTRAINT'], SHOWABLES.constraints],
  [['PROCEDURES'], SHOWABLES.procedures],
  [['PROCEDURE'], SHOWABLES.procedures],
  [['FUNCTIONS'], SHOWABLES.functions],
  [['FUNCTION'], SHOWABLES.functions],
  [['DATABASES'], SHOWABLES.databases],
  [['DATABASE'], SHOWABLES.databases],
];
