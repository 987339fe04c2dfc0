export function isOpening(char: string): boolean {
  return char === '{' || char === '[';
}

export function isBlank(char: string): boolean {
  return char === ' ' || char === '\n' || char === '\r' || char === '\t';
}
