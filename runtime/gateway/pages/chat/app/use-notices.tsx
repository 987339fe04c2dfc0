/// <reference lib="dom" />
import { type ReactNode, useMemo, useState } from 'react';

type Action = { readonly label: string; act(): void };
type Notice = { readonly kind: string; readonly text: string; readonly action?: Action };

export type Notices = {
  /** Replaces an earlier notice of the same kind. */
  show(kind: string, text: string, action?: Action): void;
  clear(kind: string): void;
};

/** Notices about problems. Each stays until it is dismissed or resolved. */
export function useNotices(): { readonly notices: Notices; readonly shown: readonly Notice[] } {
  const [shown, setShown] = useState<readonly Notice[]>([]);
  const notices = useMemo(
    () => ({
      show(kind: string, text: string, action?: Action) {
        setShown((before) => {
          if (before.some((each) => each.kind === kind && each.text === text)) return before;
          const others = before.filter((each) => each.kind !== kind);
          return [...others, { kind, text, ...(action && { action }) }];
        });
      },
      clear(kind: string) {
        setShown((before) =>
          before.some((each) => each.kind === kind)
            ? before.filter((each) => each.kind !== kind)
            : before,
        );
      },
    }),
    [],
  );
  return { notices, shown };
}

type Props = { readonly shown: readonly Notice[]; readonly notices: Notices };

export function NoticeList({ shown, notices }: Props): ReactNode {
  return (
    <div id="notices">
      {shown.map(({ kind, text, action }) => (
        <div key={`${kind} ${text}`} className="notice" role="alert">
          <span>{text}</span>
          {action && (
            <button
              type="button"
              onClick={() => {
                notices.clear(kind);
                action.act();
              }}
            >
              {action.label}
            </button>
          )}
          <button
            type="button"
            className="dismiss"
            aria-label="Dismiss"
            onClick={() => notices.clear(kind)}
          >
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
