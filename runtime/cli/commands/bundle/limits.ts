/** Of a bundle's name: it is part of ids, paths and addresses. */
export const bundleNameCharsMax = 64;
/** What the compiler may take for one bundle, and how many of its complaints are shown. */
export const typesMsMax = 180_000;
export const typesShownMax = 100;
/** Places that are shown for one complaint. */
export const locationsShownMax = 5;
/** How often `bundle dev` looks whether files have changed. */
export const watchIntervalMs = 200;
