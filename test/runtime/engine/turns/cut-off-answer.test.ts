import { expect, test } from 'vitest';
import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { isJsonObject, type JsonObject } from '../../../../runtime/base/json.ts';
import { protocols } from '../../../../runtime/channels/protocol/reply-piece.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { openHarness } from '../kit/harness.ts';

const dataOf = (block: Block | undefined): JsonObject =>
  isJsonObject(block?.data) ? block.data : {};

const endings = [
  { finish: 'stop', degraded: false, notice: undefined },
  { finish: 'length', degraded: true, notice: /reached the output limit and was cut off/ },
  { finish: 'refusal', degraded: true, notice: /provider of the model refused this reply/ },
  { finish: 'unknown', degraded: false, notice: /did not say why the reply ended/ },
] as const satisfies readonly {
  finish: Reply['finish'];
  degraded: boolean;
  notice: RegExp | undefined;
}[];

for (const { finish, degraded, notice } of endings) {
  // proves: answer.cut-off
  test(`the model and clients learn that a reply ended with ${finish}, in every protocol`, async () => {
    for (const protocol of protocols) {
      await using harness = await openHarness([{ answer: 'The sum is 5.', finish }], {
        agent: { protocol },
      });
      await harness.say('What is 2 + 3?');
      const blocks = await harness.closed();
      expect(verify(blocks), protocol).toEqual([]);
      const answer = blocks.find(({ type }) => type === 'assistant.completion');
      expect(answer?.text, protocol).toBe('The sum is 5.');
      expect(dataOf(answer), protocol).toMatchObject({ degraded });
      expect(dataOf(blocks.at(-1)), protocol).toMatchObject({ reason: 'completed', degraded });
      const notices = blocks.filter(({ type }) => type === 'react.notice');
      expect(notices, protocol).toHaveLength(notice ? 1 : 0);
      if (notice) {
        expect(notices[0]?.text, protocol).toMatch(notice);
        expect(dataOf(notices[0]), protocol).toMatchObject({ code: `finish_${finish}` });
      }
    }
  });
}
