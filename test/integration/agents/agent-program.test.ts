import { test } from 'vitest';
import { serverTestsMsMax } from '../../tools/serve.ts';
import { expectWholeSession, openDemoPlace } from './demo-place.ts';

// proves: external.turn, external.permission, external.steer, external.resume, external.egress, external.servers
test(
  'an agent program in its sandbox edits a file, asks for permission, is steered, killed and resumed',
  async () => {
    await using place = await openDemoPlace();
    await expectWholeSession(place);
  },
  serverTestsMsMax,
);
