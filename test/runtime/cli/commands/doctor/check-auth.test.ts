import { expect, test } from 'vitest';
import { checkAuth } from '../../../../../runtime/cli/commands/doctor/check-auth.ts';
import { matching } from '../../../../tools/matchers.ts';
import { openIssuer } from '../../../../tools/services/issuer.ts';
import { config, inFolder } from '../../config/config-kit.ts';

inFolder();

// proves: page.sign-in-failures
test('doctor says whether people can sign in at the provider', async () => {
  await using issuer = await openIssuer();
  const settings = config({
    'assembly.yaml': `auth: { mode: jwt, issuer: "${issuer.url}", audience: desk }\n`,
    'gateway.yaml': 'sign_in: { client_id: desk }\n',
  });
  const [unable] = await checkAuth(settings);
  expect(unable).toMatchObject({
    ok: false,
    says: matching(/has no authorization_endpoint.* remove sign_in from gateway.yaml/),
  });
  const { url } = issuer;
  issuer.pretend({
    ...{ issuer: url, jwks_uri: `${url}/keys`, authorization_endpoint: `${url}/auth` },
  });
  const [able] = await checkAuth(settings);
  expect(able).toMatchObject({
    ok: true,
    says: matching(/people sign in as the client desk$/),
  });
});
