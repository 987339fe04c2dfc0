import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GrowthGate } from '../../../../runtime/gateway/projections/growth-gate.ts';

// proves: endpoints.cumulative
test('a text that is sent whole lags by a part of itself at most, and its bytes stay in proportion', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40), { maxLength: 2_000 }), (pieces) => {
      const gate = new GrowthGate();
      let [chars, sent, bytes] = [0, 0, 0];
      for (const piece of pieces) {
        chars += piece;
        if (gate.isDue(piece)) {
          sent = chars;
          bytes += chars;
        }
        expect(chars - sent).toBeLessThanOrEqual(chars / 64);
        expect(gate.isBehind).toBe(sent < chars);
      }
      // Each frame is longer than the one before by a part of itself: their sum is that of a geometric row.
      expect(bytes).toBeLessThanOrEqual(chars * 66 + 4_096);
    }),
  );
});
