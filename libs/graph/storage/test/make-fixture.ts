/**
 * Writes `data/format-1`: run this file with `node --conditions=plexus-source`. Only for a new format, into a
 * new directory: a released fixture is never changed.
 */
import { join } from 'node:path';
import { InlineJobRunner, Storage } from '#graph/storage';
import { NodeDisk } from '#platform/disk';
import { writeFixture } from './fixture-content.ts';

const disk = new NodeDisk();
const directory = join(import.meta.dirname, 'data', 'format-1');
const store = await Storage.open({ disk, directory, jobs: new InlineJobRunner(disk) });
await writeFixture(store);
await store.close();
