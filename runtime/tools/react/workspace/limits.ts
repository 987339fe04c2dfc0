export const pullPathsMax = 100;
export const pullBytesMax = 250 * 1024 * 1024;
export const checkoutFilesMax = 200;
export const checkoutBytesMax = 250 * 1024 * 1024;
