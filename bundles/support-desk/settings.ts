import { defineProps } from 'timeloom/sdk';
import { z } from 'zod';

export const settings = defineProps(
  z.object({
    /** A person approves refunds above this amount. */
    approvalAboveEur: z.number().min(0).default(100),
  }),
);
