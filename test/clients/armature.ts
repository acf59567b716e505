import { Armature, ArmatureError, type ErrorCode } from '@armature/client';
import type { MainJobInput, MainJobReport } from './main-job.js';

export async function playMainJob(input: MainJobInput): Promise<MainJobReport> {
  const { baseUrl, email, password } = input;
  const armature = await Armature.signIn({ baseUrl, email, password });
  const [organization] = (await armature.getProfile()).organizations;
  const organization_id = organization?.id ?? '';

  const { connected } = await armature.registerKubeconfig({ body: { k8sfile: input.kubeconfig, organization_id } });
  const environment = await armature.createEnvironment({
    body: { name: 'staging', tier: 'staging', organization_id },
  });
  await armature.addEnvironmentConnection({
    path: { environmentID: environment.id, connectionID: connected[0]?.connection_id ?? '' },
  });
  const workspace = await armature.createWorkspace({ body: { name: 'shop', organization_id } });
  await armature.assignWorkspaceEnvironment({ path: { id: workspace.id, envID: environment.id } });

  const imported = await armature.importDesign({ body: { file: input.design, workspace_id: workspace.id } });
  const id = 'id' in imported ? imported.id : null;
  if (!id) throw new Error('the design was not imported');
  const plan = await armature.planDeployment({ body: { id } });
  const accepted = await armature.deployDesign({ body: { id, plan_id: plan.plan_id }, query: { async: 'true' } });
  const deployed = await armature.waitFor({ deployment: accepted.id }, { timeout: 60_000 });
  const again = await armature.deployDesign({ body: { id } });
  const undeployed = await armature.undeployDesign({ body: { id } });
  const events: string[] = [];
  for await (const { category, action } of armature.paginate('listEvents')) events.push(`${category} ${action}`);
  const refused: ErrorCode = await armature.getEnvironment({ path: { id: 'no-id' } }).then(
    () => 'NOT_FOUND' as const,
    (error: unknown) => {
      if (error instanceof ArmatureError) return error.code;
      throw error;
    },
  );
  return {
    planned: plan.resources.map(({ action }) => action),
    deployed: deployed.status,
    deployedAgain: again.resources.map(({ action }) => action),
    undeployed: undeployed.status,
    events,
    refused,
  };
}
