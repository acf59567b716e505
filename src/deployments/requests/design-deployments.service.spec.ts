import { Actor } from '../../core/access/actor.js';
import { Conflict } from '../../core/errors/app-error.js';
import type { Design } from '../../designs/design.entity.js';
import type { FileDesign } from '../../designs/design-files.service.js';
import type { DeploymentRequest } from './deployment-requests.service.js';
import { DesignDeploymentsService } from './design-deployments.service.js';

const actor = Actor.system('test');
const designOf = (id: string) => ({ id, name: id, workspaceId: 'shop' }) as Design;

/** Deploys a file, of which `create` makes the deployment. */
function deployFile(file: FileDesign, create: (request: DeploymentRequest) => Promise<unknown>) {
  const parts = [
    {},
    { prepare: () => Promise.resolve(file) },
    {},
    { resolveForDeployment: () => Promise.resolve({}) },
    {},
    { existsOfDesign: (id: string) => Promise.resolve(id === 'used') },
    { require: () => Promise.resolve() },
    { create: (_: Actor, request: DeploymentRequest) => create(request) },
  ];
  const service = Reflect.construct(DesignDeploymentsService, parts) as DesignDeploymentsService;
  return service.deploy(actor, { pattern_file: 'kind: ConfigMap' });
}

describe('a file without a design', () => {
  it('that is refused gives the reason, also when its design cannot be deleted', async () => {
    const design = designOf('used');
    const refusal = new Conflict('POLICY_VIOLATION', 'a policy is violated', { remedy: '' });
    const asked: boolean[] = [];
    const discard: FileDesign['discard'] = async (isUsed) => {
      asked.push(await isUsed('used'), await isUsed('other'));
      throw new Conflict('IN_USE', 'it is deployed', { remedy: '' });
    };
    const refused = deployFile({ design, store: () => Promise.resolve(design), discard }, () =>
      Promise.reject(refusal),
    );
    await expect(refused).rejects.toBe(refusal);
    expect(asked).toEqual([true, false]);
  });

  it('is deployed as the design that another call has stored meanwhile', async () => {
    const deployed: string[] = [];
    const file = { design: designOf('mine'), store: () => Promise.resolve(designOf('theirs')) };
    await deployFile({ ...file, discard: () => Promise.resolve() }, ({ design, name }) => {
      deployed.push(design.id, name);
      return Promise.resolve();
    });
    expect(deployed).toEqual(['theirs', 'theirs']);
  });
});
