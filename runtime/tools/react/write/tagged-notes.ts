import type { TurnServices } from '../../ports/call-services.ts';

const tags = ['P', 'D', 'S', 'A', 'K'] as const;
type Tag = (typeof tags)[number];
type TaggedNote = { readonly text: string; readonly tag?: Tag };

const tagged = /^\s*(?:[-*]\s+)?\[([PDSAK])\]\s*/;

/** A line that begins with `[P]`, `[D]`, `[S]`, `[A]` or `[K]` starts a note of that kind; other lines continue the note before. */
export function parseNotes(content: string): readonly TaggedNote[] {
  const notes: { tag: Tag | undefined; lines: string[] }[] = [];
  for (const line of content.split('\n')) {
    const found = tagged.exec(line);
    const tag = tags.find((each) => each === found?.[1]);
    const last = notes.at(-1);
    if (tag === undefined && last) last.lines.push(line);
    else notes.push({ tag, lines: [line.slice(found?.[0].length ?? 0)] });
  }
  return notes.flatMap(({ tag, lines }) => {
    const text = lines.join('\n').trim();
    return text === '' ? [] : [tag === undefined ? { text } : { text, tag }];
  });
}

export function writeNotes(
  notes: readonly TaggedNote[],
  services: Pick<TurnServices, 'note'>,
): void {
  for (const { text, tag } of notes) services.note(text, tag === undefined ? {} : { tag });
}
