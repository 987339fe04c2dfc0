/** Roles of one visitor. */
export const rolesMax = 32;
/** How long a browser may remember that pages of another origin may ask. */
export const preflightSecondsMax = 600;
