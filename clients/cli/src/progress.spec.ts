import { type Armature, ArmatureError, type DeploymentView, type PlanView } from '@armature/client';
import { findRunning, mayDeploy } from './commands/deployments.js';
import { follow } from './progress.js';
import type { Run } from './run.js';
import { Terminal } from './terminal.js';

const deployment = (status: string, more: object = {}): DeploymentView =>
  ({ id: 'd1', status, queue_position: null, resources: [], ...more }) as unknown as DeploymentView;

/** Follows a deployment whose reads have these outcomes, and tells what was said. */
async function followThrough(
  outcomes: (DeploymentView | Error)[],
  isTTY = false,
): Promise<{ ended: DeploymentView | Error; said: string }> {
  let said = '';
  const stream = { isTTY, columns: 60, rows: 20, write: (part: string) => (said += part) } as never;
  const terminal = new Terminal({ NO_COLOR: '1' }, stream, stream);
  const getDeployment = (): Promise<DeploymentView> => {
    const next = outcomes.shift();
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next as DeploymentView);
  };
  const ended = await follow(
    { terminal } as Run,
    { getDeployment } as unknown as Armature,
    deployment('running'),
  ).catch((error: Error) => error);
  return { ended, said };
}

const failure = (status: number): ArmatureError => new ArmatureError('no', { status, code: 'UNREACHABLE' });

describe('following a deployment', () => {
  it('goes on while the server is away, and names the deployment at the start', async () => {
    const { ended, said } = await followThrough([...[0, 429, 502, 503, 504].map(failure), deployment('succeeded')]);
    expect(ended).toMatchObject({ status: 'succeeded' });
    expect(said).toBe('Deployment d1\nrunning\nsucceeded\n');
  });

  it('says that the deployment goes on before an error that ends following', async () => {
    const { ended, said } = await followThrough([failure(401)]);
    expect(ended).toMatchObject({ status: 401 });
    expect(said).toContain('The deployment goes on. Follow it with "armature get deployment d1"');
    expect(said).toContain('armature api POST /api/deployments/d1/cancel');
  });

  it('draws a resource in one line, whatever its message has', async () => {
    const resource = {
      kind: 'Pod',
      name: 'app',
      namespace: 'shop',
      status: 'waiting',
      message: `first\r\nsecond \u001b[2J ${'long '.repeat(40)}`,
      error: null,
    };
    const { said } = await followThrough(
      [deployment('running', { resources: [resource] }), deployment('succeeded')],
      true,
    );
    const drawn = said.split('\n').filter((line) => line.includes('Pod'));
    expect(drawn.length).toBeGreaterThan(0);
    for (const line of drawn) expect(line).toMatch(/Pod shop\/app: waiting – first second \\u001b.*…$/);
  });
});

it('what runs in an environment is the newest that succeeded, unless it was undeployed since', async () => {
  const of = (...statuses: string[]): Armature =>
    ({
      async *paginate() {
        for (const [index, status] of statuses.entries())
          yield await Promise.resolve(deployment(status, { id: index }));
      },
    }) as unknown as Armature;
  const [design, place] = [
    { id: '1', name: 'shop' },
    { id: '2', name: 'staging' },
  ];
  expect(await findRunning(of('cancelled', 'failed', 'succeeded', 'undeployed'), design, place)).toMatchObject({
    id: 2,
  });
  await expect(findRunning(of('failed', 'undeployed', 'succeeded'), design, place)).rejects.toThrow(
    'shop no longer runs in staging',
  );
  await expect(findRunning(of('failed'), design, place)).rejects.toThrow('shop was never deployed to staging');
});

it('a plan may be deployed when it is deployable and its quota is not used up', () => {
  const plan = (deployable: boolean, allowed: boolean) => ({ deployable, quota: { allowed } as PlanView['quota'] });
  expect([plan(true, true), plan(true, false), plan(false, true)].map(mayDeploy)).toEqual([true, false, false]);
});
