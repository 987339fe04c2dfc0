export type Finding = {
  readonly label: string;
  readonly value: string;
  readonly note: string;
  readonly tone: string;
  readonly series: readonly number[];
};
export function toFindings(text: string, options: { readonly whole: boolean }): readonly Finding[];
