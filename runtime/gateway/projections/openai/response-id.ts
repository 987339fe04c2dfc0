export function responseIdOf(turn: string, part: number): string {
  return part === 0 ? `resp_${turn}` : `resp_${turn}_${part}`;
}

/** Undefined: not the id of a response. */
export function parseResponseId(id: string): { turn: string; part: number } | undefined {
  const [, turn, part = '0'] = /^resp_(turn_[0-9a-z]+)(?:_(\d{1,4}))?$/.exec(id) ?? [];
  return turn === undefined ? undefined : { turn, part: Number(part) };
}
