import { Buffer } from 'node:buffer';
import { client } from './client/client.gen';
import * as api from './client/sdk.gen';
import type { MainJobInput, MainJobReport } from './main-job';

/** This generator prefers JSON where a route also takes forms: files are sent as text and as base64. */
export async function playMainJob(input: MainJobInput): Promise<MainJobReport> {
  client.setConfig({ baseUrl: input.baseUrl });
  const { email, password } = input;
  const signedIn = await api.signIn({ body: { email, password }, throwOnError: true });
  client.setConfig({ auth: signedIn.data.access_token });
  const profile = await api.getProfile({ throwOnError: true });
  const organization_id = profile.data.organizations[0]?.id ?? '';

  const registered = await api.registerKubeconfig({
    body: { kubeconfig: await input.kubeconfig.text(), organization_id },
    throwOnError: true,
  });
  const connectionID = registered.data.connected[0]?.connection_id ?? '';
  const environment = await api.createEnvironment({
    body: { name: 'staging', tier: 'staging', organization_id },
    throwOnError: true,
  });
  await api.addEnvironmentConnection({
    path: { environmentID: environment.data.id, connectionID },
    throwOnError: true,
  });
  const workspace = await api.createWorkspace({ body: { name: 'shop', organization_id }, throwOnError: true });
  const path = { id: workspace.data.id, envID: environment.data.id };
  await api.assignWorkspaceEnvironment({ path, throwOnError: true });

  const file = Buffer.from(await input.design.arrayBuffer()).toString('base64');
  const imported = await api.importDesign({
    body: { file, file_name: input.design.name, workspace_id: workspace.data.id },
    throwOnError: true,
  });
  if (!('id' in imported.data) || imported.response.status !== 201) throw new Error('the import was not answered 201');
  const { id } = imported.data;
  const plan = await api.planDeployment({ body: { id }, throwOnError: true });
  const deployed = await api.deployDesign({ body: { id, plan_id: plan.data.plan_id }, throwOnError: true });
  const again = await api.deployDesign({ body: { id }, throwOnError: true });
  const undeployed = await api.undeployDesign({ body: { id }, throwOnError: true });
  const events = await api.listEvents({ query: { pagesize: 100 }, throwOnError: true });
  const refused = await api.getEnvironment({ path: { id: 'no-id' } });
  return {
    planned: plan.data.resources.map(({ action }) => action),
    deployed: deployed.data.status,
    deployedAgain: again.data.resources.map(({ action }) => action),
    undeployed: undeployed.data.status,
    events: events.data.events.map(({ category, action }) => `${category} ${action}`),
    refused: refused.error?.code ?? '',
  };
}
