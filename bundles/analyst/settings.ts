import { defineProps } from 'timeloom/sdk';
import { z } from 'zod';

export const settings = defineProps(
  z.object({
    /** Places after the point in what a profile says. */
    decimals: z.int().min(0).max(6).default(1),
    /** Longer files are refused. */
    rowsMax: z.int().min(1).default(200_000),
  }),
);
