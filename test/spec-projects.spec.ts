import { describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SpecProjects } from '../tools/jest/spec-projects.ts';

/** The projects of the specs among these files of a repository. */
function projectsOf(files: Readonly<Record<string, string>>): Readonly<Record<string, readonly string[]>> {
  const root = mkdtempSync(join(tmpdir(), 'plexus-projects-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    return Object.fromEntries(
      Object.entries(new SpecProjects(root).all()).filter(([, specs]) => specs.length > 0),
    );
  } finally {
    rmSync(root, { recursive: true });
  }
}

const SERVER = "import { createServer } from 'node:net';\n";
const DOOR =
  "export { browserOf } from './browser.ts';\nexport { type Fixture, serverOf } from './server.ts';\n";
const TESTING = {
  'libs/testing/src/index.ts': DOOR,
  'libs/testing/src/browser.ts': "import { chromium } from 'playwright-core';\n",
  'libs/testing/src/server.ts': SERVER,
};
const SPEC = 'libs/a/b/src/one.spec.ts';

describe('the Jest project of a spec', () => {
  it.each([
    ['unit', 'that starts nothing', "import { one } from './one.ts';\n"],
    ['unit', 'that imports a type of what starts a server', "import type { Server } from 'node:net';\n"],
    [
      'unit',
      'that imports a function of the network that opens nothing',
      "import { isIP } from 'node:net';\n",
    ],
    ['apps', 'that opens a port', SERVER],
    ['apps', 'that starts a program', "import { spawn } from 'node:child_process';\n"],
    ['apps', 'that makes a directory', "import { mkdtemp, rm } from 'node:fs/promises';\n"],
    ['apps', 'that starts an app', "import { start } from '../../../../apps/x/src/start.ts';\n"],
    ['apps', 'with a helper that opens a port', "import { help } from '../test/help.ts';\n"],
    ['apps', 'with a server of a test library', "import { serverOf } from '#testing';\n"],
    ['unit', 'with a type of a test library', "import { type Fixture } from '#testing';\n"],
    ['browser', 'with the browser of a test library', "import { browserOf } from '#testing';\n"],
  ])('is %s for one %s', (project, _, text) => {
    const files = { ...TESTING, 'libs/a/b/test/help.ts': SERVER, [SPEC]: text };

    expect(projectsOf(files)).toEqual({ [project]: [SPEC] });
  });

  it('is none for another file whose name ends in spec', () => {
    expect(projectsOf({ 'libs/a/b/src/column-spec.ts': SERVER })).toEqual({});
  });

  it('does not follow from its folder', () => {
    const files = { 'libs/a/b/test/one.spec.ts': '', 'libs/a/b/src/two.spec.ts': SERVER };

    expect(projectsOf(files)).toEqual({
      unit: ['libs/a/b/test/one.spec.ts'],
      apps: ['libs/a/b/src/two.spec.ts'],
    });
  });

  it('is that of its suffix for laws and endurance, whatever they start', () => {
    const files = { 'libs/a/b/src/a.prop.spec.ts': SERVER, 'libs/a/b/src/b.kill.spec.ts': SERVER };

    expect(projectsOf(files)).toEqual({
      laws: ['libs/a/b/src/a.prop.spec.ts'],
      endurance: ['libs/a/b/src/b.kill.spec.ts'],
    });
  });
});
