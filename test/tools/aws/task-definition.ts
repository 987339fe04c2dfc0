import { z } from 'zod';

const Container = z.object({
  Name: z.string(),
  Image: z.string(),
  EntryPoint: z.array(z.string()).optional(),
  Essential: z.boolean(),
  User: z.string(),
  ReadonlyRootFilesystem: z.literal(true),
  LinuxParameters: z.object({
    Capabilities: z.object({ Drop: z.array(z.string()) }),
    InitProcessEnabled: z.boolean().optional(),
  }),
  Memory: z.int().optional(),
  MountPoints: z.array(
    z.object({ SourceVolume: z.string(), ContainerPath: z.string(), ReadOnly: z.boolean() }),
  ),
  Ulimits: z
    .array(z.object({ Name: z.string(), SoftLimit: z.int(), HardLimit: z.int() }))
    .optional(),
});
export type ContainerDefinition = z.infer<typeof Container>;

/** A task definition as a template has it, as far as a task on this machine can follow it; anything missing is an error. */
export const TaskDefinition = z.object({
  Family: z.string(),
  ContainerDefinitions: z.array(Container).length(3),
  Volumes: z.array(z.object({ Name: z.string() })),
});
export type TaskDefinition = z.infer<typeof TaskDefinition>;
