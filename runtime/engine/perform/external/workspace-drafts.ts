import { isRefusal } from '../../../base/refusal.ts';
import { Work } from '../../../base/signal.ts';
import type { Draft } from '../../../timeline/block.ts';
import { paths } from '../../../timeline/paths.ts';
import { fileName } from '../../../tools/files/file-path.ts';
import { mimeOf } from '../../../tools/files/mime.ts';
import { noticeOf } from '../../plan/notice.ts';
import type { ExternalAgent, WorkspaceChanges } from '../../ports/external-agent.ts';
import type { WorkerSession } from '../../session/session.ts';
import { externalCollectMsMax } from './limits.ts';

type FileDrafts = { readonly drafts: readonly Draft[]; confirm(): Promise<void> };

/** The files that a program has written in its workspace, as files of the turn. */
export async function workspaceDrafts(
  session: WorkerSession,
  program: ExternalAgent,
): Promise<FileDrafts> {
  const { turn, conversation } = session;
  using work = new Work(conversation.signal, { deadlineMs: externalCollectMsMax });
  try {
    const changes = await program.changedFiles({ signal: work.signal });
    const files = changes.files.map(({ path, blob }): Draft => {
      const filepath = `files/${path}`;
      return {
        type: 'artifact.file',
        turn: turn.id,
        author: 'tool',
        path: paths.file(turn.id, filepath),
        mime: mimeOf(path),
        blob,
        data: { filename: fileName(path), size: blob.size, visibility: 'external' },
      };
    });
    const drafts = [...files, ...leftNotice(session, changes)];
    return { drafts, confirm: () => changes.confirm() };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const data = { code: error.code };
    return {
      drafts: [noticeOf(turn, { text: error.message, data })],
      confirm: async () => undefined,
    };
  }
}

const namedMax = 20;

function leftNotice({ turn }: WorkerSession, { left }: WorkspaceChanges): readonly Draft[] {
  if (left.length === 0) return [];
  const named = left.slice(0, namedMax).map(({ path, code }) => `- ${path}: ${code}`);
  const text = [`${left.length} files of the workspace were not kept:`, ...named].join('\n');
  return [noticeOf(turn, { text, data: { code: 'files_not_kept' } })];
}
