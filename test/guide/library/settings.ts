import { defineProps, defineSecret } from 'timeloom/sdk';
import { z } from 'zod';

export const settings = defineProps(
  z.object({
    catalog: z.url(),
    loansMax: z.int().min(1).default(5),
    language: z.enum(['en', 'de']).default('en'),
  }),
  { perUser: ['language'] },
);

export const catalogKey = defineSecret({
  id: 'CATALOG_KEY',
  for: 'bundle',
  description: 'key of the catalogue',
});
