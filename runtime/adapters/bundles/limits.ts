/** Files of one bundle, without its packages. */
export const bundleFilesMax = 2_000;
export const bundleBytesMax = 64 * 1024 * 1024;
/** Bundles in one folder of bundles. */
export const bundlesPerFolderMax = 200;
/** Built revisions of one bundle folder that stay in the data directory. */
export const builtRevisionsKept = 5;
