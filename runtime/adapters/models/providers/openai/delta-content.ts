export type DeltaContent = { readonly kind: 'text' | 'reasoning'; readonly text: string };

/** The content of a delta: a text, or, from Mistral and servers like it, a list of texts and of thinking. */
export function contentOf(content: unknown): readonly DeltaContent[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown): readonly DeltaContent[] => {
    const { type, text, thinking } = Object(part) as Readonly<Record<string, unknown>>;
    if (type === 'text' && typeof text === 'string') return [{ kind: 'text', text }];
    if (type !== 'thinking') return [];
    const thought = contentOf(thinking).map((each) => each.text);
    return [{ kind: 'reasoning', text: thought.join('') }];
  });
}
