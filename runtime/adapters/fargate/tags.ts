/** Of everything made for one execution, as Docker's labels. */
export type Tags = Readonly<Record<string, string>>;

const names = { cell: 'timeloom.cell', owner: 'timeloom.owner', deadline: 'timeloom.deadline' };

/** `deadlineMs`: since the epoch. */
export function toTags(facts: { cell: string; owner: string; deadlineMs: number }): Tags {
  return {
    [names.cell]: facts.cell,
    [names.owner]: facts.owner,
    [names.deadline]: String(Math.ceil(facts.deadlineMs)),
  };
}

/** Milliseconds since the epoch; undefined for what is not ours. */
export function deadlineIn(
  tags: readonly { key?: string | undefined; value?: string | undefined }[],
): number | undefined {
  const text = tags.find(({ key }) => key === names.deadline)?.value;
  const ms = Number(text);
  return text === undefined || !Number.isFinite(ms) ? undefined : ms;
}
