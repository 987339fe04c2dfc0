import { z } from 'zod';
import { notSupported } from '../../sdk/compile/validate/not-supported.ts';
import {
  bufferedFileMbMax,
  fileMbMax,
  messageMbMax,
  pdfPagesMax,
  projectsMax,
  turnsPerWorkerCeiling,
} from './limits.ts';
import { Surfaces } from './projects/surface-settings.ts';
import { SignInDescriptor } from './sign-in/sign-in-settings.ts';
import { DispatchSettings } from './web-settings.ts';

const count = z.int().positive();
const whereClamd = 'true, or the address of clamd: /path or host:port';
const mb = z.number().positive();
const clamd = z.string().regex(/^(\/.+|[^\s/]+:\d{1,5})$/, whereClamd);
const origin = z
  .string()
  .refine(
    (value) => URL.canParse(value) && /^https?:/.test(value) && new URL(value).origin === value,
    'write an origin as browsers do: https://host or https://host:port, in lower case, without a path or default port',
  );

/** Ids of tenants and projects, as clients send them when they connect. */
export const projectId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/, 'an id has 1 to 128 letters, digits, _ and -');

const Project = z.strictObject({
  tenant: projectId,
  project: projectId,
  bundles: z.array(z.string().min(1)).min(1).optional(),
  surfaces: Surfaces.optional(),
});

/** Origins, sign-in, projects, rates and attachments. */
export const Gateway = z.strictObject({
  origins: z.array(origin).optional(),
  projects: z.array(Project).max(projectsMax).optional(),
  sign_in: SignInDescriptor.optional(),
  surfaces: Surfaces.optional(),
  dispatch: DispatchSettings.optional(),
  rate: z
    .strictObject({
      user: z.strictObject({ per_minute: count.optional(), per_hour: count.optional() }).optional(),
      anonymous: z.strictObject({ per_hour: z.int().min(0) }).optional(),
    })
    .optional(),
  admission: z
    .strictObject({
      turns_per_worker: count.max(turnsPerWorkerCeiling),
      queue_max: notSupported('remove it; messages wait in the store without a limit'),
    })
    .partial()
    .optional(),
  attachments: z
    .strictObject({
      message_mb: mb.max(messageMbMax),
      image_mb: mb.max(bufferedFileMbMax),
      pdf_mb: mb.max(bufferedFileMbMax),
      text_mb: mb.max(fileMbMax),
      file_mb: mb.max(fileMbMax),
      pdf_pages: count.max(pdfPagesMax),
      /** `true`: the clamd of this machine; a string: the address of clamd. */
      antivirus: z.union([z.boolean(), clamd], whereClamd),
    })
    .partial()
    .optional(),
});
