import { Duration, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import {
  Capability,
  ContainerDependencyCondition,
  ContainerImage,
  FargateTaskDefinition,
  LinuxParameters,
  LogDrivers,
  UlimitName,
} from 'aws-cdk-lib/aws-ecs';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Bucket } from 'aws-cdk-lib/aws-s3';

type Props = {
  readonly executorImage: string;
  readonly supervisorImage: string;
  readonly bucket: Bucket;
  readonly prefix: string;
  /** ARN pattern of the launch payloads. */
  readonly secrets: string;
};

export const objectActions = [
  's3:GetObject',
  's3:PutObject',
  's3:DeleteObject',
  's3:AbortMultipartUpload',
];

/** Prefix of every key. */
export function before(prefix: string): string {
  return prefix === '' ? '' : `${prefix}/`;
}

const cpu = 1_024;
const memoryMb = 4_096;
const supervisorMb = 512;
const keeperMb = 128;
const executorUser = '1001:1001';
const openFiles = 512;

type Mount = {
  readonly sourceVolume: string;
  readonly containerPath: string;
  readonly readOnly: boolean;
};

const stream = (readOnly: boolean): Mount => mount('stream', '/run/timeloom', readOnly);
const inputs = (readOnly: boolean): Mount => mount('inputs', '/opt/timeloom/inputs', readOnly);
const out = mount('out', '/out', false);
const work = mount('work', '/work', false);
const tmp = mount('tmp', '/tmp', false);
const keeperLink = (readOnly: boolean): Mount => mount('keeper', '/run/timeloom-keeper', readOnly);

/** One execution: supervisor and keeper are essential containers, the executor is not and may end at any time. */
export function executionTask(
  stack: Stack,
  { executorImage, supervisorImage, bucket, prefix, secrets }: Props,
): FargateTaskDefinition {
  const task = new FargateTaskDefinition(stack, 'Task', {
    family: 'timeloom-execution',
    cpu,
    memoryLimitMiB: memoryMb,
    volumes: ['stream', 'keeper', 'inputs', 'out', 'work', 'tmp'].map((name) => ({ name })),
  });
  const logGroup = new LogGroup(stack, 'Log', {
    logGroupName: '/timeloom/executions',
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const common = (name: string, user: string) => ({
    containerName: name,
    user,
    readonlyRootFilesystem: true,
    linuxParameters: withoutRights(stack, name),
    logging: LogDrivers.awsLogs({ logGroup, streamPrefix: name }),
    stopTimeout: Duration.seconds(2),
  });
  const supervisor = task.addContainer('supervisor', {
    ...common('supervisor', '1002:1002'),
    image: ContainerImage.fromRegistry(supervisorImage),
    essential: true,
    memoryLimitMiB: supervisorMb,
  });
  supervisor.addMountPoints(stream(false), inputs(false), out, keeperLink(false));
  const keeper = task.addContainer('keeper', {
    // The user who owns the files it holds.
    ...common('keeper', executorUser),
    image: ContainerImage.fromRegistry(supervisorImage),
    entryPoint: ['node', '/opt/timeloom/keeper.mjs'],
    essential: true,
    memoryLimitMiB: keeperMb,
  });
  keeper.addMountPoints(keeperLink(true), out, work, tmp);
  const executor = task.addContainer('executor', {
    ...common('executor', executorUser),
    image: ContainerImage.fromRegistry(executorImage),
    essential: false,
    memoryLimitMiB: memoryMb - supervisorMb - keeperMb,
    ulimits: [{ name: UlimitName.NOFILE, softLimit: openFiles, hardLimit: openFiles }],
  });
  executor.addMountPoints(stream(true), inputs(true), out, work, tmp);
  executor.addContainerDependencies({
    container: supervisor,
    condition: ContainerDependencyCondition.START,
  });
  // One role for all tasks: names of other tasks' objects cannot be guessed, and no task may list names.
  task.taskRole.addToPrincipalPolicy(
    new PolicyStatement({
      actions: objectActions,
      resources: [bucket.arnForObjects(`${before(prefix)}executions/*`)],
    }),
  );
  task.taskRole.addToPrincipalPolicy(
    new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [secrets] }),
  );
  allowImages(task, stack);
  return task;
}

/** Allows pulling the two images from this account's registry; the permission for registry tokens has no resource. */
function allowImages(task: FargateTaskDefinition, stack: Stack): void {
  const repositories = stack.formatArn({
    service: 'ecr',
    resource: 'repository',
    resourceName: 'timeloom-fargate-*',
  });
  const actions = ['BatchCheckLayerAvailability', 'BatchGetImage', 'GetDownloadUrlForLayer'];
  task.addToExecutionRolePolicy(
    new PolicyStatement({
      actions: actions.map((action) => `ecr:${action}`),
      resources: [repositories],
    }),
  );
  task.addToExecutionRolePolicy(
    new PolicyStatement({ actions: ['ecr:GetAuthorizationToken'], resources: ['*'] }),
  );
}

function withoutRights(stack: Stack, name: string): LinuxParameters {
  const parameters = new LinuxParameters(stack, `${name}Linux`, { initProcessEnabled: false });
  parameters.dropCapabilities(Capability.ALL);
  return parameters;
}

function mount(sourceVolume: string, containerPath: string, readOnly: boolean): Mount {
  return { sourceVolume, containerPath, readOnly };
}
