/**
 * Examples that the page shows in another way than the specification, and why. One that is shown as specified after all has to
 * leave its list.
 */
type Reasons = Readonly<Record<string, readonly number[]>>;

const commonMark: Reasons = {
  'HTML is shown as it was written: an answer may not add elements to the page': [
    21, 31, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164,
    165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183,
    184, 185, 186, 187, 188, 189, 190, 191, 201, 308, 309, 344, 475, 476, 477, 491, 494, 524, 536,
    613, 614, 615, 616, 617, 623, 625, 626, 627, 628, 629, 630, 631, 642, 643,
  ],
  'a bare address with a scheme becomes a link, as in GFM': [602, 608, 611],
};

const gfm: Reasons = {
  'HTML is shown as it was written: an answer may not add elements to the page': [
    118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136,
    137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155,
    156, 157, 158, 159, 160, 170, 288, 289, 317, 327, 354, 484, 485, 486, 501, 504, 533, 545, 636,
    637, 638, 639, 640, 646, 648, 651, 652, 653, 654, 655, 657, 667, 668,
  ],
  'a bare address with a scheme becomes a link; these examples are of CommonMark without extensions':
    [611, 617, 620],
  'an address without a scheme stays text: a name such as README.md is not one': [
    622, 623, 624, 625, 626, 627, 628, 630, 631, 632,
  ],
  'only two tildes strike a text: one stands for “about”, and three are written by mistake': [
    491, 493,
  ],
};

export const differing = { commonMark: numbersIn(commonMark), gfm: numbersIn(gfm) };

function numbersIn(reasons: Reasons): readonly number[] {
  return Object.values(reasons)
    .flat()
    .toSorted((a, b) => a - b);
}
