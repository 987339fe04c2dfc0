import { expect, test } from 'vitest';
import { openRequest } from '../../../../runtime/gateway/intake/empty-conversation.ts';

test('a bundle opens conversations only for user names that a token can have', () => {
  const fits = (user: string) => openRequest.safeParse({ user }).success;
  for (const user of ['ann', 'auth0|5f7c', 'ann@acme.io', 'Zoë Ångström', 'a'.repeat(255)]) {
    expect(fits(user)).toBe(true);
  }
  for (const user of ['', 'a'.repeat(256), 'ann\n', '\ud800']) expect(fits(user)).toBe(false);
});
