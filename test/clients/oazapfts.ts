import { ok } from '@oazapfts/runtime';
import * as api from './client';
import type { MainJobInput, MainJobReport } from './main-job';

/** This generator prefers forms: files are sent as they are. */
export async function playMainJob({
  baseUrl,
  email,
  password,
  kubeconfig,
  design,
}: MainJobInput): Promise<MainJobReport> {
  api.defaults.baseUrl = baseUrl;
  const { access_token } = await ok(api.signIn({ email, password }));
  api.defaults.headers = { authorization: `Bearer ${access_token}` };
  const profile = await ok(api.getProfile());
  const organization_id = profile.organizations[0]?.id ?? '';

  const { connected } = await ok(api.registerKubeconfig({ k8sfile: kubeconfig, organization_id }));
  const environment = await ok(api.createEnvironment({ name: 'staging', tier: 'staging', organization_id }));
  await ok(api.addEnvironmentConnection(environment.id, connected[0]?.connection_id ?? ''));
  const workspace = await ok(api.createWorkspace({ name: 'shop', organization_id }));
  await ok(api.assignWorkspaceEnvironment(workspace.id, environment.id));

  const imported = await api.importDesign({ file: design, workspace_id: workspace.id });
  if (imported.status !== 201) throw new Error(`the import was answered ${imported.status}`);
  if (!('id' in imported.data)) throw new Error('the import of a file is one design');
  const { id } = imported.data;
  const plan = await ok(api.planDeployment({ id }));
  const deployed = await api.deployDesign({ id, plan_id: plan.plan_id });
  const again = await api.deployDesign({ id });
  const undeployed = await api.undeployDesign({ id });
  if (deployed.status !== 200 || again.status !== 200 || undeployed.status !== 200)
    throw new Error(`deployments were answered ${deployed.status}, ${again.status}, ${undeployed.status}`);

  const { events } = await ok(api.listEvents({ pagesize: 100 }));
  const refused = await api.getEnvironment('no-id');
  return {
    planned: plan.resources.map(({ action }) => action),
    deployed: deployed.data.status,
    deployedAgain: again.data.resources.map(({ action }) => action),
    undeployed: undeployed.data.status,
    events: events.map(({ category, action }) => `${category} ${action}`),
    refused: refused.status === 400 ? refused.data.code : '',
  };
}
