import { Match, type Template } from 'aws-cdk-lib/assertions';
import { beforeAll, expect, test } from 'vitest';
import { executionsTemplate, taskDefinitionOf } from '../tools/aws/template.ts';

// proves: exec.fargate-stack

let template: Template;
beforeAll(() => {
  template = executionsTemplate();
});

test('a program that ends does not end its task, and its supervisor does', () => {
  const { ContainerDefinitions } = taskDefinitionOf(template);
  expect(ContainerDefinitions.map(({ Name, Essential }) => [Name, Essential])).toEqual([
    ['supervisor', true],
    ['executor', false],
  ]);
});

test('containers share no processes, keep no right, change nothing of their image and are two users', () => {
  const locked = (user: string) =>
    Match.objectLike({
      User: user,
      Privileged: Match.absent(),
      ReadonlyRootFilesystem: true,
      LinuxParameters: { Capabilities: { Drop: ['ALL'] }, InitProcessEnabled: false },
    });
  template.hasResourceProperties('AWS::ECS::TaskDefinition', {
    PidMode: Match.absent(),
    IpcMode: Match.absent(),
    NetworkMode: 'awsvpc',
    ContainerDefinitions: [locked('1002:1002'), locked('1001:1001')],
  });
});

test('the executor only reads what carries its stream and its inputs', () => {
  const executor = taskDefinitionOf(template).ContainerDefinitions[1];
  const readOnly = executor?.MountPoints.filter(({ ReadOnly }) => ReadOnly);
  expect(readOnly?.map(({ SourceVolume }) => SourceVolume)).toEqual(['stream', 'inputs']);
});

test('nobody comes in, and only HTTPS goes out', () => {
  template.resourceCountIs('AWS::EC2::SecurityGroupIngress', 0);
  template.allResourcesProperties('AWS::EC2::SecurityGroup', {
    SecurityGroupIngress: Match.absent(),
    SecurityGroupEgress: [Match.objectLike({ FromPort: 443, ToPort: 443, IpProtocol: 'tcp' })],
  });
});

test('rights name what they are over; only lists, and the token of a registry, have nothing to name', () => {
  const policies = ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'].flatMap((type) =>
    Object.values(template.findResources(type)),
  );
  const statements = policies.flatMap(
    (policy) =>
      policy['Properties'].PolicyDocument.Statement as { Action: unknown; Resource: unknown }[],
  );
  expect(statements.length).toBeGreaterThan(8);
  const open = statements.filter(({ Resource }) => Resource === '*').map(({ Action }) => Action);
  expect(open.toSorted()).toEqual([
    'ecr:GetAuthorizationToken',
    'ecs:ListTasks',
    'secretsmanager:ListSecrets',
  ]);
  const actions = statements.flatMap(({ Action }) => Action);
  expect(actions.filter((action) => String(action).includes('*'))).toEqual([]);
});

test('a task cannot start another, and the platform cannot be a task', () => {
  const task = Object.entries(template.findResources('AWS::IAM::Policy')).filter(([name]) =>
    name.includes('TaskRole'),
  );
  expect(task).toHaveLength(1);
  expect(JSON.stringify(task)).not.toMatch(/ecs:|iam:|CreateSecret|DeleteSecret/);
  template.resourceCountIs('AWS::IAM::ManagedPolicy', 1);
});

test('what a crash has left in the bucket is gone after a day, and nobody outside sees it', () => {
  template.hasResourceProperties('AWS::S3::Bucket', {
    PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
    LifecycleConfiguration: {
      Rules: [Match.objectLike({ Status: 'Enabled', ExpirationInDays: 1 })],
    },
  });
  template.hasResourceProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
});
