export { countDescriptors, type Descriptors, mainThreadTimes, type ThreadTimes } from './process-facts.ts';
export { DataDirectory } from './data-directory.ts';
export { DirectoryLock } from './directory-lock.ts';
export { DiskError, isFullDisk, isMissingFile } from './disk-error.ts';
export { Disk, type DiskFile, type OpenMode, type OpenOptions, type ProcessIdentity } from './disk.port.ts';
export { filesAndLinks } from './files-and-links.ts';
export { isExecutable, NodeDisk } from './node-disk.ts';
export { OutputFile } from './output-file.ts';
export { StandardError } from './standard-error.ts';
