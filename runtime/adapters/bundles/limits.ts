/** Files of one bundle, its packages not counted. */
export const bundleFilesMax = 2_000;
export const bundleBytesMax = 64 * 1024 * 1024;
/** Bundles in one folder of bundles. */
export const bundlesPerFolderMax = 200;
/** What was built from one bundle's folder: this many revisions stay in the data directory. */
export const builtRevisionsKept = 5;
