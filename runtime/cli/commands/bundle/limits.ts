/** Maximum length of a bundle name, which is part of ids, paths and URLs. */
export const bundleNameCharsMax = 64;
/** Time limit of the compiler for one bundle, and the maximum number of errors shown. */
export const typesMsMax = 180_000;
export const typesShownMax = 100;
/** Maximum number of locations shown for one finding. */
export const locationsShownMax = 5;
/** Time limit of npm for the packages of one folder. */
export const installMsMax = 600_000;
/** Poll interval of `bundle dev`. */
export const watchIntervalMs = 200;
