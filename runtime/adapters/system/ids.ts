import { randomBytes } from 'node:crypto';
import type { Ids } from '../../base/ids.ts';

const timeChars = 9;
const randomChars = 11;
const randomSpan = 36n ** BigInt(randomChars);

export const randomIds: Ids = {
  next: (prefix) => {
    const time = Date.now().toString(36).padStart(timeChars, '0');
    // 64 random bits folded into 56.8: the bias is below one percent of one bit.
    const random = (randomBytes(8).readBigUInt64BE() % randomSpan).toString(36);
    return `${prefix}_${time}${random.padStart(randomChars, '0')}`;
  },
};
