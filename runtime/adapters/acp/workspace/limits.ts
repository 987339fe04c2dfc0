/** Files in a workspace, folders deep, and bytes in all. */
export const workspaceFilesMax = 50_000;
export const workspaceDepthMax = 32;
/** How often the size of the workspace of a running program is checked. */
export const workspaceCheckMs = 15_000;
/** Files that one round keeps, and bytes of one of them. */
export const changedFilesMax = 500;
export const changedFileBytesMax = 64 * 1024 * 1024;
/** A workspace that another process of this machine still holds is waited for this long. */
export const workspaceLockMsMax = 10_000;
export const workspaceLockPollMs = 200;
/** How often unused workspaces are looked for. */
export const workspaceReapEveryMs = 60 * 60 * 1000;
