import fc from 'fast-check';
import { expect, test } from 'vitest';
import { protocols } from '../../../../runtime/channels/protocol/reply-piece.ts';
import { patient } from '../../../tools/machine-speed.ts';
import { runs } from '../../../tools/runs.ts';
import { comparable, logOf } from './protocol-kit.ts';
import { script, scripted } from './script-kit.ts';

// proves: protocol.same-blocks

test(
  'the same script gives the same blocks in every protocol',
  async () => {
    await fc.assert(
      fc.asyncProperty(script, async (replies) => {
        const expected = comparable(await logOf('channels', replies, scripted));
        for (const protocol of protocols.slice(1)) {
          expect(comparable(await logOf(protocol, replies, scripted)), protocol).toEqual(expected);
        }
      }),
      runs(40),
    );
  },
  patient(60_000),
);
