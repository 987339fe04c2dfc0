import { Refusal } from '../../base/refusal.ts';
import type { Draft } from '../../timeline/block.ts';
import type { CallId, TurnId } from '../../timeline/ids.ts';
import { paths } from '../../timeline/paths.ts';
import type { ResolvedPath } from '../ports/call-services.ts';

type NewDraft = Omit<Draft, 'turn' | 'call'>;

/** Collects the drafts of one call in order until they are taken. Afterwards it accepts no more drafts. */
export interface DraftCollector {
  add(draft: NewDraft): void;
  /** A `react.notice` of the call, once per code. */
  notice(code: string, text: string): void;
  /** How many drafts of this type there are. */
  count(type: string): number;
  /** The latest file written at this path. */
  file(path: string): ResolvedPath | undefined;
  /** Called when the drafts are taken, before they are. */
  onTake(finish: () => void): void;
  /** Refusal `call_over` after `take`. */
  assertOpen(): void;
  take(): readonly Draft[];
}

export function createDraftCollector({
  turn,
  call,
}: {
  turn: TurnId;
  call: CallId;
}): DraftCollector {
  const drafts: Draft[] = [];
  const noticed = new Set<string>();
  const finishers: (() => void)[] = [];
  let over = false;
  const collector: DraftCollector = {
    add: (draft) => {
      collector.assertOpen();
      drafts.push({ ...draft, turn, call });
    },
    notice: (code, text) => {
      if (over || noticed.has(code)) return;
      noticed.add(code);
      const path = paths.callNotice(turn, call);
      drafts.push({
        turn,
        call,
        type: 'react.notice',
        author: 'system',
        path,
        text,
        data: { code },
      });
    },
    count: (type) => drafts.filter((draft) => draft.type === type).length,
    file: (path) => toFile(drafts.findLast((draft) => isFile(draft) && draft.path === path)),
    onTake: (finish) => finishers.push(finish),
    assertOpen: () => {
      if (over) throw new Refusal('call_over', 'The call this belongs to is over.');
    },
    take: () => {
      for (const finish of finishers.splice(0)) finish();
      over = true;
      return drafts.splice(0);
    },
  };
  return collector;
}

function isFile({ type }: Draft): boolean {
  return type === 'artifact.file';
}

/** In the form in which the log will return it. */
function toFile(draft: Draft | undefined): ResolvedPath | undefined {
  if (draft?.path === undefined || draft.blob === undefined) return undefined;
  const { path, mime = 'application/octet-stream', blob, data } = draft;
  return { path, mime, blob, ...(data === undefined ? {} : { data }) };
}
