import { isJsonObject } from '../../base/json.ts';
import type { BlobRef, Block } from '../../timeline/block.ts';
import { toTurnId } from '../../timeline/ids.ts';
import { type BlockPath, parsePath } from '../../timeline/paths.ts';
import { shortNames } from '../../timeline/short-names.ts';
import type { TurnView, View } from '../../timeline/view.ts';
import { mimeOf } from './mime.ts';

/** A file of a turn in its latest version. */
export type TurnFile = {
  /** `fi:…` */
  readonly path: BlockPath;
  /** Under OUTPUT_DIR of its own turn: `outputs/…`, `files/…`, `attachments/…`. */
  readonly local: string;
  readonly mime: string;
  readonly blob: BlobRef;
};

/** Attachments, workspace files and produced files of a turn, sorted by path; the latest version of each. */
export function filesOf(turn: TurnView): readonly TurnFile[] {
  const files = new Map<string, TurnFile>();
  for (const block of turn.blocks) {
    const file = toTurnFileView(block);
    if (file) files.set(file.path, file);
  }
  return [...files.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function toTurnFileView({ type, path, blob, mime, data }: Block): TurnFile | undefined {
  if (type !== 'artifact.file' && type !== 'user.attachment') return undefined;
  if (path === undefined || blob === undefined) return undefined;
  const local = localPath(path);
  if (local === undefined) return undefined;
  const named =
    isJsonObject(data) && typeof data['filename'] === 'string' ? data['filename'] : local;
  return { path, local, mime: mime ?? mimeOf(named), blob };
}

/** Where a program finds a file below the directory of its turn; undefined if the path is not a file. */
export function localPath(path: string): string | undefined {
  const parsed = parsePath(path);
  if (parsed?.family !== 'fi') return undefined;
  const { rest } = parsed;
  if (/^(outputs|files)\/./.test(rest)) return rest;
  if (rest.startsWith('user.attachments/'))
    return `attachments/${rest.slice('user.attachments/'.length)}`;
  const [, external] = /^external\.[\w.-]+\.attachments\/(.+)$/s.exec(rest) ?? [];
  return external === undefined ? undefined : `attachments/${external}`;
}

/**
 * Where a program of another turn finds a pulled file: `t3/outputs/x`. Turns of another conversation keep their ids,
 * which cannot collide with turns of this conversation.
 */
export function pulledPath(path: string, view: View): string | undefined {
  const parsed = parsePath(path);
  const local = localPath(path);
  if (parsed?.family !== 'fi' || local === undefined) return undefined;
  const { turn, conversation } = parsed;
  return `${conversation === undefined ? shortNames(view).turn(toTurnId(turn)) : turn}/${local}`;
}
