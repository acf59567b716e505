import type { Command } from 'commander';
import type { Armature, DeploymentView, DriftView, PlanView } from '@armature/client';
import { EXIT, Failure, type ExitCode, exitCodeOf, WrongUse } from '../failure.js';
import { ageOf, detailsOf, tableOf } from '../output.js';
import { describeFault, hasChanges, labelOf, renderDrift, renderPlan } from '../plan-view.js';
import { assertEnd, faultsOf, follow } from '../progress.js';
import type { Run } from '../run.js';
import type { Named } from '../session.js';
import { does, withExamples } from './command.js';

interface Target {
  environment: string;
}

interface PlanFlags extends Target {
  exitCode?: boolean;
  changesOnly?: boolean;
  version?: number;
  force?: boolean;
  adopt?: boolean;
}

interface RequestFlags {
  requestApproval?: boolean;
  wait?: boolean;
  timeout?: number;
  async?: boolean;
  force?: boolean;
  adopt?: boolean;
  overrideFreeze?: boolean;
  reason?: string;
}

interface DeployFlags extends Target, RequestFlags {
  version?: number;
  plan?: string;
}

const ENVIRONMENT = ['-e, --environment <name>', 'the environment, by name or id'] as const;

export function addDeploymentCommands(program: Command): void {
  withExamples(
    does(
      program
        .command('plan <design>')
        .summary('show what deploying a design would change')
        .description('Shows what deploying a design would change, by a dry run on the clusters.')
        .requiredOption(...ENVIRONMENT)
        .option(
          '--exit-code',
          'end with 2 when there are changes, 1 when the clusters, 4 when people would refuse them',
        )
        .option('--changes-only', 'leave out what stays as it is')
        .option('--version <number>', 'an earlier version of the design', toInteger)
        .option('--force', 'as deploy --force')
        .option('--adopt', 'as deploy --adopt'),
      plan,
    ),
    'armature plan shop -e staging',
    'armature plan shop -e production --exit-code -o json > plan.json',
  );
  withExamples(
    does(
      withRequestOptions(
        program
          .command('deploy <design>')
          .summary('deploy a design to an environment')
          .description(
            'Deploys a design to an environment. On a terminal it shows the plan and asks first, unless --yes or --plan is given.',
          )
          .requiredOption(...ENVIRONMENT)
          .option('--version <number>', 'an earlier version of the design', toInteger)
          .option('--plan <id>', 'deploy exactly this plan, or nothing'),
      ),
      deploy,
    ),
    'armature deploy shop -e staging --wait',
    'armature deploy shop -e production --plan 0197c2e8-… --request-approval',
  );
  does(
    program
      .command('status <design>')
      .summary('show what is deployed')
      .description(
        'Shows the latest deployment of a design in each environment; with -e that of one, with its resources.',
      )
      .option(...ENVIRONMENT),
    showStatus,
  );
  does(
    program
      .command('drift <design>')
      .summary('show what others have changed on the clusters')
      .description('Compares what is deployed with what the clusters have.')
      .requiredOption(...ENVIRONMENT)
      .option('--exit-code', 'end with 2 when something has drifted, with 1 when that cannot be known'),
    showDrift,
  );
  does(
    withRequestOptions(
      program
        .command('rollback <design>')
        .summary('go back to the version before')
        .description('Deploys the version that stood in the environment before, or another that was deployed there.')
        .requiredOption(...ENVIRONMENT)
        .option('--to <number>', 'the version', toInteger),
    ),
    rollBack,
  );
  does(
    program
      .command('undeploy <design>')
      .summary('delete what was deployed')
      .description('Deletes what the design owns in the environment. Volume claims are kept.')
      .requiredOption(...ENVIRONMENT)
      .option('--request-approval', 'ask for the approvals that are needed')
      .option('--timeout <seconds>', 'how long the end of each part is waited for', toInteger)
      .option('--async', 'end as soon as it was accepted'),
    undeploy,
  );
  does(
    withRequestOptions(
      program
        .command('promote <design>')
        .summary('deploy what runs in one environment to another')
        .description('Deploys the version that runs in one environment, with its values, to another.')
        .requiredOption('-e, --environment <name>', 'the environment that has the version')
        .requiredOption('--to <name>', 'the environment that gets it'),
      false,
    ),
    promote,
  );
  does(
    program
      .command('approve <id>')
      .summary('approve a deployment that waits')
      .description('Approves a deployment that waits, and follows it when it begins.')
      .option('--reason <text>', 'why')
      .option('--async', 'end as soon as it was accepted'),
    approve,
  );
  does(
    program
      .command('reject <id>')
      .summary('reject a deployment that waits')
      .description('Ends a deployment that waits for approval.')
      .requiredOption('--reason <text>', 'why'),
    reject,
  );
}

function withRequestOptions(command: Command, takesOwnership = true): Command {
  command
    .option('--wait', 'wait until everything is healthy')
    .option('--timeout <seconds>', 'how long --wait waits', toInteger)
    .option('--async', 'end as soon as it was accepted')
    .option('--request-approval', 'ask for the approvals that are needed');
  if (takesOwnership)
    command
      .option('--force', 'take over fields that others have set')
      .option('--adopt', 'take over objects that others have made');
  return command
    .option('--override-freeze', 'deploy during a freeze, as an admin of the organization; needs --reason')
    .option('--reason <text>', 'why a freeze is overridden');
}

export function toInteger(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new WrongUse(`${text} is no whole number`, 'Write digits only.');
  return Number(text);
}

/** What the flags of a request are in the body of the call. */
function toBody({ requestApproval, wait, timeout, force, adopt, overrideFreeze, reason }: RequestFlags) {
  if (overrideFreeze && !reason)
    throw new WrongUse('--override-freeze needs --reason', 'Say why with --reason "…"; it stands in the audit.');
  return {
    request_approval: requestApproval,
    wait,
    timeout,
    force,
    adopt,
    override_freeze: overrideFreeze,
    reason: overrideFreeze ? reason : undefined,
  };
}

const ASYNC = { async: 'true' as const };

async function resolve(run: Run, design: string, environment: string) {
  const session = await run.session();
  const [found, place] = await Promise.all([session.resolveDesign(design), session.resolveEnvironment(environment)]);
  return { armature: session.armature, design: found, environment: place };
}

async function plan(run: Run, flags: PlanFlags, text: string): Promise<ExitCode> {
  const { armature, design, environment } = await resolve(run, text, flags.environment);
  const { version, force, adopt } = flags;
  const body = { id: design.id, environment_id: environment.id, version, force, adopt };
  const planned = await armature.planDeployment({ body });
  const shown = await renderFor(run, armature, planned, environment, flags.changesOnly);
  if (flags.exitCode && !mayDeploy(planned)) {
    run.terminal.say(shown());
    throw notDeployable(planned);
  }
  await run.output.show(planned, {
    table: shown,
    name: ({ plan_id }) => [`plan/${plan_id}`],
    isLong: true,
  });
  return flags.exitCode && hasChanges(planned) ? EXIT.changes : EXIT.done;
}

async function renderFor(run: Run, armature: Armature, planned: PlanView, { id, name }: Named, changesOnly = false) {
  const { required_approvals: requiredApprovals } = await armature.getEnvironment({ path: { id } });
  const width = Math.min(run.terminal.width, 160);
  return () => renderPlan(planned, { changesOnly, environment: name, requiredApprovals, width });
}

/** Whether the server would accept a deployment of this plan now. */
export const mayDeploy = ({ deployable, quota }: Pick<PlanView, 'deployable' | 'quota'>): boolean =>
  deployable && quota.allowed;

function notDeployable({ resources, hooks, policy_violations, quota }: PlanView): Failure {
  const failing = [...resources, ...hooks].filter(({ error }) => error);
  const forbidden = policy_violations.filter(({ mode }) => mode === 'enforce');
  const code = forbidden.length > 0 ? 'POLICY_VIOLATION' : quota.allowed ? '' : 'QUOTA_EXCEEDED';
  return new Failure(
    'this plan cannot be deployed',
    failing.length > 0
      ? 'Correct what the clusters would refuse, and import the design again.'
      : 'Change the design, or ask who keeps the rule.',
    failing.length > 0 ? EXIT.failed : exitCodeOf(409, code),
    [
      ...failing.map((resource) => `${labelOf(resource)}: ${describeFault(resource.error)}`),
      ...forbidden.map(({ policy, message, ...resource }) => `${labelOf(resource)}: policy ${policy}: ${message}`),
      ...(quota.allowed ? [] : [`the quota of ${quota.limit} deployments a day is used up`]),
    ],
  );
}

async function deploy(run: Run, flags: DeployFlags, text: string): Promise<ExitCode> {
  const { version, plan: planId } = flags;
  const options = toBody(flags);
  const { armature, design, environment } = await resolve(run, text, flags.environment);
  const body = { id: design.id, environment_id: environment.id, version, plan_id: planId, ...options };
  if (!planId && !run.flags.yes && run.terminal.isInteractive) {
    const { force, adopt, override_freeze, reason } = options;
    const planned = await armature.planDeployment({
      body: { id: design.id, environment_id: environment.id, version, force, adopt, override_freeze, reason },
    });
    run.terminal.say((await renderFor(run, armature, planned, environment, true))());
    if (!mayDeploy(planned)) throw notDeployable(planned);
    if (hasChanges(planned)) await run.confirm(`Deploy ${design.name} to ${environment.name}?`);
    body.plan_id = planned.plan_id;
  }
  return finish(run, armature, await armature.deployDesign({ body, query: ASYNC }), flags);
}

/** Follows what was requested, and shows what became of it. */
async function finish(
  run: Run,
  armature: Armature,
  requested: DeploymentView,
  { async: isAsync }: { async?: boolean },
): Promise<ExitCode> {
  const ended = isAsync ? requested : await follow(run, armature, requested);
  const code = assertEnd(ended);
  if (code === EXIT.rolledBack) {
    const why = ended.error ? `: ${ended.error.detail} [${ended.error.code}]` : '';
    run.terminal.say(`The deployment failed and was rolled back${why}.`);
    for (const fault of faultsOf(ended)) run.terminal.say(`  ${fault}`);
    if (ended.error?.remedy) run.terminal.say(ended.error.remedy);
  }
  await run.output.show(ended, {
    table: (record) => renderDeployment(record, run.terminal.width),
    name: nameDeployment,
  });
  if (code === EXIT.waits)
    run.terminal.say(
      `It waits for approval by admins of the workspace: "armature approve ${ended.id}", or "armature reject ${ended.id} --reason …".`,
    );
  return code;
}

const nameDeployment = ({ id }: DeploymentView): string[] => [`deployment/${id}`];

function renderDeployment(deployment: DeploymentView, width: number): string {
  const { id, name, action, status, design_version: version, health, error, resources } = deployment;
  const head = detailsOf([
    ['deployment', id],
    ['design', `${name}, version ${version}`],
    ['action', action],
    ['status', status.replace('_', ' ')],
    ['health', health?.status],
    ['error', error ? `${error.detail} [${error.code}]` : null],
  ]);
  if (resources.length === 0) return head;
  return `${head}\n\n${tableOf(
    resources,
    [
      ['KIND', ({ kind }) => kind],
      ['NAMESPACE', ({ namespace }) => namespace],
      ['NAME', ({ name: own }) => own],
      ['ACTION', ({ action: own }) => own],
      ['STATUS', ({ status: own }) => own.replace('_', ' ')],
      ['HEALTH', ({ health: own }) => own?.status],
      ['MESSAGE', (resource) => (resource.error ? describeFault(resource.error) : resource.message)],
    ],
    width,
  )}`;
}

/** The newest deployments of a design, those that were cancelled left out. */
async function* newestFirst(armature: Armature, design: string, environment?: string): AsyncGenerator<DeploymentView> {
  const query = { environment_id: environment, order: 'created_at desc' };
  for await (const deployment of armature.paginate('listDesignDeployments', { path: { id: design }, query }))
    if (deployment.status !== 'cancelled') yield deployment;
}

async function showStatus(run: Run, flags: Partial<Target>, text: string): Promise<void> {
  const session = await run.session();
  const { armature } = session;
  const design = await session.resolveDesign(text);
  const place = flags.environment === undefined ? null : await session.resolveEnvironment(flags.environment);
  const latest = new Map<string, DeploymentView>();
  for await (const deployment of newestFirst(armature, design.id, place?.id)) {
    if (!latest.has(deployment.environment_id)) latest.set(deployment.environment_id, deployment);
    if (place) break;
  }
  const { width } = run.terminal;
  if (place) {
    const deployment = latest.get(place.id);
    if (!deployment) throw neverDeployed(design, place);
    const record = await armature.getDeployment({ path: { id: deployment.id } });
    return run.output.show(record, { table: (each) => renderDeployment(each, width), name: nameDeployment });
  }
  const names = new Map<string, string>();
  for (const id of latest.keys()) names.set(id, (await armature.getEnvironment({ path: { id } })).name);
  await run.output.show([...latest.values()], {
    table: (records) =>
      tableOf(
        records,
        [
          ['ENVIRONMENT', ({ environment_id: id }) => names.get(id)],
          ['VERSION', ({ design_version: version }) => version],
          ['ACTION', ({ action }) => action],
          ['STATUS', ({ status }) => status.replace('_', ' ')],
          ['HEALTH', ({ health }) => health?.status],
          ['AGE', ({ created_at: time }) => ageOf(time)],
          ['DEPLOYMENT', ({ id }) => id],
        ],
        width,
      ),
    name: (records) => records.flatMap(nameDeployment),
  });
}

const neverDeployed = (design: Named, environment: Named): Failure =>
  new Failure(
    `${design.name} was never deployed to ${environment.name}`,
    `Deploy it with "armature deploy ${design.name} -e ${environment.name}".`,
  );

async function showDrift(run: Run, flags: Target & { exitCode?: boolean }, text: string): Promise<ExitCode> {
  const { armature, design, environment } = await resolve(run, text, flags.environment);
  const drift = await armature.getDesignDrift({ path: { id: design.id }, query: { environment_id: environment.id } });
  const shown = (record: DriftView): string => renderDrift(record, Math.min(run.terminal.width, 160));
  if (flags.exitCode && drift.status === 'unknown') {
    run.terminal.say(shown(drift));
    throw new Failure(
      'whether it has drifted cannot be known',
      'Check the connections of the environment, and try again.',
    );
  }
  await run.output.show(drift, {
    table: shown,
    name: ({ resources }) =>
      resources.filter(({ status }) => status !== 'in_sync').map(({ kind, name }) => `${kind.toLowerCase()}/${name}`),
  });
  return flags.exitCode && drift.status === 'drifted' ? EXIT.changes : EXIT.done;
}

/** The deployment that runs in an environment. @throws Failure when nothing was deployed there, or it was undeployed */
export async function findRunning(armature: Armature, design: Named, environment: Named): Promise<DeploymentView> {
  for await (const deployment of newestFirst(armature, design.id, environment.id)) {
    if (deployment.status === 'succeeded') return deployment;
    if (deployment.status === 'undeployed')
      throw new Failure(
        `${design.name} no longer runs in ${environment.name}: it was undeployed`,
        `Deploy it there with "armature deploy ${design.name} -e ${environment.name}", or choose another environment.`,
      );
  }
  throw neverDeployed(design, environment);
}

/** The deployment that brought the version that stands in an environment: what stood before it is gone back to. */
async function findFirstOfStanding(armature: Armature, design: Named, environment: Named): Promise<DeploymentView> {
  let first: DeploymentView | null = null;
  for await (const deployment of newestFirst(armature, design.id, environment.id)) {
    if (!['succeeded', 'undeployed'].includes(deployment.status)) continue;
    if (first && (deployment.design_version !== first.design_version || deployment.status === 'undeployed')) break;
    first = deployment;
  }
  if (first) return first;
  throw neverDeployed(design, environment);
}

async function rollBack(run: Run, flags: Target & RequestFlags & { to?: number }, text: string): Promise<ExitCode> {
  const body = { version: flags.to, ...toBody(flags) };
  const { armature, design, environment } = await resolve(run, text, flags.environment);
  const { id } = await findFirstOfStanding(armature, design, environment);
  return finish(run, armature, await armature.rollBackDeployment({ path: { id }, body, query: ASYNC }), flags);
}

async function undeploy(
  run: Run,
  flags: Target & Pick<RequestFlags, 'requestApproval' | 'timeout' | 'async'>,
  text: string,
): Promise<ExitCode> {
  const { armature, design, environment } = await resolve(run, text, flags.environment);
  await run.confirm(`Delete what ${design.name} owns in ${environment.name}?`);
  const { requestApproval: request_approval, timeout } = flags;
  const body = { id: design.id, environment_id: environment.id, request_approval, timeout };
  return finish(run, armature, await armature.undeployDesign({ body, query: ASYNC }), flags);
}

async function promote(run: Run, flags: Target & RequestFlags & { to: string }, text: string): Promise<ExitCode> {
  const options = toBody(flags);
  const { armature, design, environment } = await resolve(run, text, flags.environment);
  const target = await (await run.session()).resolveEnvironment(flags.to);
  const { id } = await findRunning(armature, design, environment);
  const body = { environment_id: target.id, ...options };
  return finish(run, armature, await armature.promoteDeployment({ path: { id }, body, query: ASYNC }), flags);
}

async function approve(run: Run, flags: { reason?: string; async?: boolean }, id: string): Promise<ExitCode> {
  const armature = await run.api();
  const body = { reason: flags.reason };
  return finish(run, armature, await armature.approveDeployment({ path: { id }, body, query: ASYNC }), flags);
}

async function reject(run: Run, { reason }: { reason: string }, id: string): Promise<void> {
  const armature = await run.api();
  const rejected = await armature.rejectDeployment({ path: { id }, body: { reason } });
  await run.output.show(rejected, {
    table: (each) => renderDeployment(each, run.terminal.width),
    name: nameDeployment,
  });
}
