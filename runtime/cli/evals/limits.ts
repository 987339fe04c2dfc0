/** Cases of a folder. */
export const casesMax = 1_000;
/** A case fails when it takes longer and states no limit of its own. */
export const caseSecondsMax = 300;
/** Characters of an answer that a finding quotes. */
export const quoteCharsMax = 200;
/** Characters of an answer that a judge reads. */
export const judgedCharsMax = 40_000;
