import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { Peer, Port, SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Cluster } from 'aws-cdk-lib/aws-ecs';
import { Effect, ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { before, executionTask, objectActions } from './task.ts';

export type ExecutionsProps = StackProps & {
  readonly executorImage: string;
  readonly supervisorImage: string;
  /** VPC of the tasks' subnets, which must reach S3, Secrets Manager, ECR and CloudWatch Logs, preferably through VPC endpoints. */
  readonly vpcId: string;
  /** `prefix` in the settings; empty: no prefix. */
  readonly prefix: string;
};

/** Objects are normally deleted by the runtime after the execution; this rule deletes what a crash left behind. */
const leftoverDays = 1;

/** Everything that TIMELOOM_EXEC_MODE=fargate requires: task definition, roles and policies, bucket, and security group. */
export class ExecutionsStack extends Stack {
  constructor(scope: Construct, id: string, props: ExecutionsProps) {
    super(scope, id, props);
    const vpc = Vpc.fromVpcAttributes(this, 'Network', {
      vpcId: props.vpcId,
      availabilityZones: [...this.availabilityZones],
    });
    const tasks = new SecurityGroup(this, 'Tasks', {
      vpc,
      allowAllOutbound: false,
      description: 'Executions: nobody comes in, only HTTPS goes out',
    });
    tasks.addEgressRule(Peer.anyIpv4(), Port.tcp(443), 'AWS services');
    const bucket = new Bucket(this, 'Bucket', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.RETAIN,
      lifecycleRules: [
        {
          expiration: Duration.days(leftoverDays),
          abortIncompleteMultipartUploadAfter: Duration.days(leftoverDays),
        },
      ],
    });
    const cluster = new Cluster(this, 'Cluster', { vpc });
    const secrets = `arn:${this.partition}:secretsmanager:${this.region}:${this.account}:secret:timeloom/executions/*`;
    const task = executionTask(this, { ...props, bucket, secrets });
    const folders = ['executions', 'made', 'owners'].map((folder) =>
      bucket.arnForObjects(`${before(props.prefix)}${folder}/*`),
    );
    const family = `arn:${this.partition}:ecs:${this.region}:${this.account}:task-definition/${task.family}:*`;
    const running = `arn:${this.partition}:ecs:${this.region}:${this.account}:task/${cluster.clusterName}/*`;
    const passed = [task.taskRole, task.obtainExecutionRole()].map(({ roleArn }) => roleArn);
    const platform = new ManagedPolicy(this, 'Platform', {
      description: 'What the platform may do to have programs executed; attach it to its own role',
      statements: [
        onCluster(allow(['ecs:RunTask'], [family]), cluster.clusterArn),
        allow(['ecs:DescribeTasks', 'ecs:StopTask', 'ecs:TagResource'], [running]),
        onCluster(allow(['ecs:ListTasks'], ['*']), cluster.clusterArn),
        toTasks(allow(['iam:PassRole'], passed)),
        allow(
          [
            'secretsmanager:CreateSecret',
            'secretsmanager:DeleteSecret',
            'secretsmanager:TagResource',
          ],
          [secrets],
        ),
        // The bucket is used for executions only.
        allow(['s3:ListBucket'], [bucket.bucketArn]),
        allow(objectActions, folders),
      ],
    });
    tell(this, {
      ...{ cluster: cluster.clusterName, taskDefinition: task.family },
      ...{ securityGroup: tasks.securityGroupId, bucket: bucket.bucketName },
      platformPolicy: platform.managedPolicyArn,
    });
  }
}

/** Values for `exec.fargate` in assembly.yaml, and the policy for the platform's own role. */
function tell(stack: Stack, outputs: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(outputs)) new CfnOutput(stack, name, { value });
}

function allow(actions: readonly string[], resources: readonly string[]): PolicyStatement {
  return new PolicyStatement({
    effect: Effect.ALLOW,
    actions: [...actions],
    resources: [...resources],
  });
}

/** Allows passing the role to tasks only. */
function toTasks(statement: PolicyStatement): PolicyStatement {
  statement.addCondition('StringEquals', { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' });
  return statement;
}

/** Requests to run or list tasks do not name the cluster as a resource, so a condition restricts it. */
function onCluster(statement: PolicyStatement, clusterArn: string): PolicyStatement {
  statement.addCondition('ArnEquals', { 'ecs:cluster': clusterArn });
  return statement;
}
