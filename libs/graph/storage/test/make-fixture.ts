/**
 * Writes `data/format-1` anew: `node --conditions=plexus-source` with this file. Only for a new format, into
 * a new directory: a fixture that was released is never changed.
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
