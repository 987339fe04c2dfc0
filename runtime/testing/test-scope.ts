/** Tenant and project of every test. */
export const testScope = { tenant: 'dev', project: 'dev' };
