import { randomFillSync } from 'node:crypto';
import type { Ids } from '../../base/ids.ts';

const timeChars = 9;
const randomChars = 11;
const randomSpan = 36n ** BigInt(randomChars);
const randomBytes = 8;

/** Random bytes for the next ids: getting many at once takes as long as getting eight. */
const pool = Buffer.alloc(512 * randomBytes);
let used = pool.length;

export const randomIds: Ids = {
  next: (prefix) => {
    const time = Date.now().toString(36).padStart(timeChars, '0');
    // 64 random bits folded into 56.8: the bias is below one percent of one bit.
    const random = (nextRandom() % randomSpan).toString(36);
    return `${prefix}_${time}${random.padStart(randomChars, '0')}`;
  },
};

function nextRandom(): bigint {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += randomBytes;
  return pool.readBigUInt64BE(used - randomBytes);
}
