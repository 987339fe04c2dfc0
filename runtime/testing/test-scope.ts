/** The one tenant and project of a test. */
export const testScope = { tenant: 'dev', project: 'dev' };
