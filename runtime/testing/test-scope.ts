/** The one tenant and project of a test. */
export const place = { tenant: 'dev', project: 'dev' };
