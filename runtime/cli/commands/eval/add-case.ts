import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { Refusal } from '../../../base/refusal.ts';
import { caseFromLog } from '../../../engine/inspect/case-from-log.ts';
import { withConversation } from '../timeline/open-conversation.ts';

type Options = {
  readonly id: string;
  /** Absent: the turn that was rated last. */
  readonly turn: string | undefined;
  readonly user: string | undefined;
  readonly signal: AbortSignal;
};

/** `timeloom eval add`: writes a case from a conversation, up to a turn that a user has rated. */
export function addCase(folder: string, { id, turn, user, signal }: Options): Promise<number> {
  return withConversation({ id, user }, { signal }, async ({ blocks, blobs, row }) => {
    const { turn: last, content, attachments } = caseFromLog(blocks, turn);
    await mkdir(folder, { recursive: true });
    for (const { filename, hash } of attachments) {
      await writeFile(join(folder, filename), await blobs.get(row.tenant, hash, { signal }));
    }
    const target = join(folder, `${last}.yaml`);
    await writeFile(target, stringify(content), { flag: 'wx' }).catch((error: Error) => {
      throw new Refusal('not_saved', `${target} was not written: ${error.message}`);
    });
    process.stdout.write(`${target}\n`);
    return 0;
  });
}
