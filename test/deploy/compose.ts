import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

export const deployFolder = join(import.meta.dirname, '../../deploy');

const Service = z.object({
  image: z.string(),
  build: z
    .object({ context: z.string(), dockerfile: z.string(), target: z.string().optional() })
    .optional(),
  environment: z.record(z.string(), z.string()).default({}),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
  group_add: z.array(z.string()).default([]),
  cap_drop: z.array(z.string()).default([]),
  security_opt: z.array(z.string()).default([]),
  read_only: z.boolean().default(false),
  tmpfs: z.array(z.string()).default([]),
  init: z.boolean().default(false),
});
const Compose = z.object({
  services: z.record(z.string(), Service),
  volumes: z.record(z.string(), z.null()),
});

export type ComposeService = z.infer<typeof Service>;

export const composeText = (): string => readFileSync(join(deployFolder, 'compose.yaml'), 'utf8');

/** The compose file, with `${NAME}` not replaced. */
export function readCompose(): z.infer<typeof Compose> {
  return Compose.parse(parse(composeText()));
}

export function serviceOf(name: string): ComposeService {
  const service = readCompose().services[name];
  if (service === undefined) throw new Error(`compose.yaml has no service ${name}`);
  return service;
}
