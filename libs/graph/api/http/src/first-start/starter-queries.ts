import type { SavedQuery } from '#graph/query';

/** A saved query of a first start. */
export interface StarterQuery extends SavedQuery {
  /** The form in the welcome of the command line: without parameters, limited to a few rows. */
  readonly shortText: string;
}

/** Queries over a software bill of materials; a test runs each on this repository's lock file. */
export const STARTER_QUERIES: readonly StarterQuery[] = [
  {
    name: 'Which licences are installed',
    description: 'Licences of the installed packages, the most common first.',
    text: `FIND npm_package AS p
RETURN p.license, COUNT(*) AS packages
ORDER BY packages DESC`,
    tags: ['packages', 'licences'],
    parameters: {},
    shortText: 'FIND npm_package AS p RETURN p.license, COUNT(*) AS packages ORDER BY packages DESC LIMIT 5',
  },
  {
    name: 'Which packages do most others depend on',
    description: 'Packages that run with the program, by how many of those depend on them.',
    text: `FIND npm_package WITH dev = false AS p
  THAT DEPENDS_ON << npm_package WITH dev = false AS user
RETURN p.name, COUNT(*) AS dependents
ORDER BY dependents DESC`,
    tags: ['packages', 'dependencies'],
    parameters: {},
    shortText: `FIND npm_package WITH dev = false AS p THAT DEPENDS_ON << npm_package WITH dev = false AS user
    RETURN p.name, COUNT(*) AS dependents ORDER BY dependents DESC LIMIT 5`,
  },
  {
    name: 'What breaks if rxjs is bad',
    description: 'Everything that depends on a package, directly or through others.',
    text: 'FIND BLAST RADIUS FROM npm_package WITH name = $package VIA DEPENDS_ON <<',
    tags: ['packages', 'dependencies'],
    parameters: { package: { type: 'string', default: 'rxjs' } },
    shortText: "FIND BLAST RADIUS FROM npm_package WITH name = 'rxjs' VIA DEPENDS_ON << LIMIT 5",
  },
];

export function savedQuery({ name, description, text, tags, parameters }: StarterQuery): SavedQuery {
  return { name, description, text, tags, parameters };
}
