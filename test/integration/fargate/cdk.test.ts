import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { sidecarMb } from '../../../runtime/adapters/fargate/settings/limits.ts';
import {
  executionsTemplate,
  resourcesOf,
  type Template,
  taskDefinitionOf,
} from '../../tools/aws/template.ts';

// proves: exec.fargate-stack

let template: Template;
beforeAll(async () => {
  template = await executionsTemplate();
});
const only = (type: string) => {
  const found = [...resourcesOf(template, type).values()];
  expect(found).toHaveLength(1);
  return found[0];
};

// CDK's types are a million lines, which nobody else should have to wait for.
test('the types of the stack hold', async () => {
  const root = join(import.meta.dirname, '../../..');
  const argv = ['node_modules/typescript/bin/tsc', '-p', 'deploy/cdk'];
  await promisify(execFile)(process.execPath, argv, { cwd: root });
  // A million lines of types.
}, 600_000);

test('a program that ends does not end its task, and its supervisor or keeper does', () => {
  const { ContainerDefinitions } = taskDefinitionOf(template);
  expect(ContainerDefinitions.map(({ Name, Essential }) => [Name, Essential])).toEqual([
    ['supervisor', true],
    ['keeper', true],
    ['executor', false],
  ]);
});

test('containers share no processes, keep no right, change nothing of their image, and run neither as root nor in a group of root', () => {
  const task = only('AWS::ECS::TaskDefinition');
  expect(task).toMatchObject({ NetworkMode: 'awsvpc' });
  expect(task).not.toHaveProperty('PidMode');
  expect(task).not.toHaveProperty('IpcMode');
  const containers = Containers.parse(task).ContainerDefinitions;
  expect(containers.map(({ User }) => User)).toEqual(['1002:1002', '1001:1001', '1001:1001']);
  for (const container of containers) {
    expect(container).not.toHaveProperty('Privileged');
    expect(container).toMatchObject({
      ReadonlyRootFilesystem: true,
      LinuxParameters: { Capabilities: { Drop: ['ALL'] }, InitProcessEnabled: false },
    });
  }
});

test('the executor only reads what carries its stream and its inputs', () => {
  const executor = taskDefinitionOf(template).ContainerDefinitions[2];
  expect(executor?.MountPoints.map(({ SourceVolume }) => SourceVolume)).not.toContain('keeper');
  const readOnly = executor?.MountPoints.filter(({ ReadOnly }) => ReadOnly);
  expect(readOnly?.map(({ SourceVolume }) => SourceVolume)).toEqual(['stream', 'inputs']);
});

test('the size of a task counts with the memory that the stack gives to those beside a program', () => {
  const beside = taskDefinitionOf(template).ContainerDefinitions.filter(
    ({ Name }) => Name !== 'executor',
  );
  expect(beside.reduce((sum, { Memory = 0 }) => sum + Memory, 0)).toBe(sidecarMb);
});

test('nobody comes in, and only HTTPS goes out', () => {
  expect(resourcesOf(template, 'AWS::EC2::SecurityGroupIngress').size).toBe(0);
  const group = only('AWS::EC2::SecurityGroup');
  expect(group).not.toHaveProperty('SecurityGroupIngress');
  expect(group).toMatchObject({
    SecurityGroupEgress: [{ FromPort: 443, ToPort: 443, IpProtocol: 'tcp' }],
  });
});

test('what lies in the bucket is encrypted, and who asks for it in the clear gets nothing', () => {
  expect(only('AWS::S3::Bucket')).toMatchObject({
    BucketEncryption: {
      ServerSideEncryptionConfiguration: [
        { ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } },
      ],
    },
    PublicAccessBlockConfiguration: { BlockPublicPolicy: true, IgnorePublicAcls: true },
  });
  const condition = { Bool: { 'aws:SecureTransport': 'false' } };
  expect(only('AWS::S3::BucketPolicy')).toMatchObject({
    PolicyDocument: { Statement: [{ Effect: 'Deny', Action: 's3:*', Condition: condition }] },
  });
});

test('only tasks take a role, and nothing has a rule that others could add to', () => {
  const roles = [...resourcesOf(template, 'AWS::IAM::Role').values()];
  expect(roles).toHaveLength(2);
  const Principal = { Service: 'ecs-tasks.amazonaws.com' };
  const Statement = [{ Action: 'sts:AssumeRole', Effect: 'Allow', Principal }];
  for (const role of roles) {
    expect(role).toMatchObject({ AssumeRolePolicyDocument: { Statement } });
    expect(role).not.toHaveProperty('ManagedPolicyArns');
  }
});

const Containers = z.object({ ContainerDefinitions: z.array(z.looseObject({ User: z.string() })) });

const Policy = z.object({
  PolicyDocument: z.object({
    Statement: z.array(
      z.object({
        Action: z.union([z.string(), z.array(z.string())]),
        Resource: z.unknown(),
        Condition: z.unknown().optional(),
      }),
    ),
  }),
});

function policies(): ReadonlyMap<string, unknown> {
  const types = ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'];
  return new Map(types.flatMap((type) => [...resourcesOf(template, type)]));
}

/** What the policies whose name holds a word allow: each action with what it is over, as readable text. */
function rights(word: string): ReadonlyMap<string, { over: string; if: string }> {
  const own = [...policies()].filter(([name]) => name.includes(word));
  expect(own).toHaveLength(1);
  const statements = own.flatMap(([, policy]) => Policy.parse(policy).PolicyDocument.Statement);
  return new Map(
    statements.flatMap(({ Action, Resource, Condition = null }) =>
      [Action].flat().map((action) => [action, { over: said(Resource), if: said(Condition) }]),
    ),
  );
}

/** References are their names. */
function said(value: unknown): string {
  const text = JSON.stringify(value, (_, one) => {
    if (one?.Ref) return `<${String(one.Ref).replace(/[0-9A-F]{8}$/, '')}>`;
    if (one?.['Fn::GetAtt']) return `<${String(one['Fn::GetAtt'][0]).replace(/[0-9A-F]{8}$/, '')}>`;
    return one?.['Fn::Join']
      ? one['Fn::Join'][1].map((part: unknown) => JSON.parse(said(part))).join('')
      : one;
  });
  return text
    .replaceAll('<AWS::Partition>', 'aws')
    .replaceAll('<AWS::Region>:<AWS::AccountId>', 'here');
}

const secrets = '"arn:aws:secretsmanager:here:secret:timeloom/executions/*"';

test('a task reads its payload, and reads and writes letters and snapshots; it lists nothing and starts nothing', () => {
  const objects = '"<Bucket>/acme/executions/*"';
  expect(Object.fromEntries(rights('TaskTaskRole'))).toEqual({
    's3:GetObject': { over: objects, if: 'null' },
    's3:PutObject': { over: objects, if: 'null' },
    's3:DeleteObject': { over: objects, if: 'null' },
    's3:AbortMultipartUpload': { over: objects, if: 'null' },
    'secretsmanager:GetSecretValue': { over: secrets, if: 'null' },
  });
});

test('who starts a task fetches two images and writes one log; the token of a registry has nothing to name', () => {
  const images = '"arn:aws:ecr:here:repository/timeloom-fargate-*"';
  expect(Object.fromEntries(rights('ExecutionRole'))).toEqual({
    'logs:CreateLogStream': { over: '"<Log>"', if: 'null' },
    'logs:PutLogEvents': { over: '"<Log>"', if: 'null' },
    'ecr:BatchCheckLayerAvailability': { over: images, if: 'null' },
    'ecr:BatchGetImage': { over: images, if: 'null' },
    'ecr:GetDownloadUrlForLayer': { over: images, if: 'null' },
    'ecr:GetAuthorizationToken': { over: '"*"', if: 'null' },
  });
});

test('the platform runs this one task in this one cluster, and keeps what executions need; only a list has nothing to name', () => {
  const running = '"arn:aws:ecs:here:task/<Cluster>/*"';
  const cluster = '{"ArnEquals":{"ecs:cluster":"<Cluster>"}}';
  const objects = JSON.stringify(
    ['executions', 'made', 'owners'].map((folder) => `<Bucket>/acme/${folder}/*`),
  );
  const free = (over: string) => ({ over, if: 'null' });
  expect(Object.fromEntries(rights('Platform'))).toEqual({
    'ecs:RunTask': { over: '"arn:aws:ecs:here:task-definition/timeloom-execution:*"', if: cluster },
    'ecs:DescribeTasks': free(running),
    'ecs:StopTask': free(running),
    'ecs:TagResource': free(running),
    'ecs:ListTasks': { over: '"*"', if: cluster },
    'iam:PassRole': {
      over: '["<TaskTaskRole>","<TaskExecutionRole>"]',
      if: '{"StringEquals":{"iam:PassedToService":"ecs-tasks.amazonaws.com"}}',
    },
    'secretsmanager:CreateSecret': free(secrets),
    'secretsmanager:DeleteSecret': free(secrets),
    'secretsmanager:TagResource': free(secrets),
    's3:ListBucket': free('"<Bucket>"'),
    's3:GetObject': free(objects),
    's3:PutObject': free(objects),
    's3:DeleteObject': free(objects),
    's3:AbortMultipartUpload': free(objects),
  });
});

test('the outputs contain what the settings need: the names cannot be guessed', () => {
  const { Outputs, Resources } = template;
  const nameOf = (type: string) =>
    Object.entries(Resources).find(([, { Type }]) => Type === type)?.[0];
  const outputs = new Map(Object.entries(Outputs).map(([name, { Value }]) => [name, Value]));
  expect([...outputs.keys()].toSorted()).toEqual([
    ...['bucket', 'cluster', 'platformPolicy', 'securityGroup', 'taskDefinition'],
  ]);
  expect(outputs.get('bucket')).toEqual({ Ref: nameOf('AWS::S3::Bucket') });
  expect(outputs.get('cluster')).toEqual({ Ref: nameOf('AWS::ECS::Cluster') });
  expect(outputs.get('platformPolicy')).toEqual({ Ref: nameOf('AWS::IAM::ManagedPolicy') });
  expect(outputs.get('taskDefinition')).toBe(taskDefinitionOf(template).Family);
});

test('no right is over everything of a service', () => {
  expect(policies().size).toBe(3);
  expect(JSON.stringify([...policies()])).not.toMatch(/"[a-z0-9]+:[A-Za-z]*\*"/);
});

test('what a crash has left in the bucket is gone after a day, and nobody outside sees it', () => {
  expect(only('AWS::S3::Bucket')).toMatchObject({
    PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
    LifecycleConfiguration: { Rules: [{ Status: 'Enabled', ExpirationInDays: 1 }] },
  });
  expect(only('AWS::Logs::LogGroup')).toMatchObject({ RetentionInDays: 30 });
});
